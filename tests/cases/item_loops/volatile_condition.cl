// form: fibers since a barrier in control flow that differs between work-items
// global: 64
// local: 16
kernel void volatile_condition(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    volatile int rounds = 2;
    tmp[lid] = in[gid];
    for (int i = 0; i < rounds; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = tmp[(lid + 1) % size];
}
