// form: loops
// global: 64
// local: 16
kernel void all_return(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    if (lid < size) {
        out[gid] = in[gid] + 1;
        return;
    }
    for (int i = 0; ; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[gid] = i;
    }
}
