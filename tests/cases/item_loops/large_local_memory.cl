// form: loops
// global: 64
// local: 16
kernel void large_local_memory(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    local int big[20000];
    local int2 pair[16];
    big[lid * 1200] = in[gid];
    pair[lid] = (int2)(lid, in[gid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = big[(15 - lid) * 1200] + pair[lid ^ 1].y;
}
