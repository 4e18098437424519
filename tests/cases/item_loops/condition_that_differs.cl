// form: fibers since a barrier in control flow that differs between work-items
// global: 64
// local: 16
kernel void condition_that_differs(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    if (lid >= 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = tmp[(lid + 1) % size];
}
