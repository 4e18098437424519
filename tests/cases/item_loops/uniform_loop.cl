// form: loops
// global: 64
// local: 16
kernel void uniform_loop(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    for (int step = 1; step < size; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = lid >= step ? tmp[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] += before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[size - 1 - lid];
}
