// form: loops
// global: 64
// local: 16
kernel void uniform_condition(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    if (n > 3) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] = tmp[(lid + 1) % size];
    } else {
        out[gid] = -1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n < 3) {
        tmp[lid] = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else if (n == 64) {
        tmp[lid] += 7 * lid;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] += tmp[size - 1 - lid];
    }
    out[gid] += lid;
}
