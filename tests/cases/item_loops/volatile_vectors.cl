// form: fibers since 'w' cannot be assigned as a whole
// global: 64
// local: 16
kernel void volatile_vectors(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    volatile int4 w = (int4)(lid, in[gid], 3, 4);
    tmp[lid] = w.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    w.x = tmp[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = w.x + w.y;
}
