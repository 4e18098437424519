// form: fibers since goto
// global: 64
// local: 16
kernel void jump(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int i = 0;
    tmp[lid] = in[gid];
    again:
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++i < 3) goto again;
    out[gid] = tmp[(lid + i) % size];
}
