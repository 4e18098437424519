// form: fibers since a barrier in control flow that differs between work-items
// global: 64
// local: 16
kernel void break_that_differs(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid] & 1;
    int rounds = 0;
    for (int i = 0; i < 4; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        rounds++;
        if (lid < 20 && i == 2)
            break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = rounds + tmp[(lid + 1) % size];
}
