// form: loops
// global: 64
// local: 16
kernel void atomics(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    local int counts[4];
    local uint first;
    if (lid < 4)
        counts[lid] = 0;
    first = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&counts[in[gid] & 3]);
    atomic_add(&first, lid);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = counts[lid & 3] + first;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&tmp[0], 0);
}
