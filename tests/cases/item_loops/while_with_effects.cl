// form: loops
// global: 64
// local: 16
kernel void while_with_effects(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int left = n / 16, sum = 0;
    tmp[lid] = in[gid];
    while (left-- > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tmp[(lid + left) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] = sum + left;
    }
    int d = size;
    while ((d >>= 1) > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            tmp[lid] += tmp[lid + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = sum + tmp[0];
}
