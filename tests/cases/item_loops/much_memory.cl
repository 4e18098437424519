// form: fibers since its work-items keep too much memory of their own
// global: 64
// local: 16
kernel void much_memory(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int own[1 << 15];
    own[lid] = in[gid];
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[(lid + 1) % size] + own[lid];
}
