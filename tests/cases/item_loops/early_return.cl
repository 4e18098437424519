// form: loops
// global: 64
// local: 16
kernel void early_return(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = 0;
    out[gid] = -1;
    if (gid >= n - 5)
        return;
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[(lid + 1) % size] + tmp[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 3) {
        out[gid] = 77;
        return;
    }
    tmp[lid] = lid * lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += lid > 0 ? tmp[lid - 1] : 0;
}
