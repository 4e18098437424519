// form: loops
// global: 64
// local: 16
kernel void uniform_return(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    out[gid] = 1;
    if (n < 10)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[size - 1 - lid];
    if (get_group_id(0) == 2) {
        out[gid] += 100;
        return;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] = lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += tmp[(lid + 1) % size];
}
