// form: loops
// global: 64
// local: 16
kernel void volatile_variables(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    volatile int v = in[gid];
    volatile local int *shared = tmp;
    shared[lid] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += shared[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = v;
}
