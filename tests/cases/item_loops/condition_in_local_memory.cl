// form: loops
// global: 64
// local: 16
kernel void condition_in_local_memory(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    local int changed;
    local int rounds[2];
    tmp[lid] = in[gid] & 31;
    if (lid == 0)
        rounds[0] = rounds[1] = 0;
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int a = tmp[lid], b = tmp[(lid + 1) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (a < b) {
            tmp[lid] = b;
            changed = 1;
        }
        if (lid == 1)
            rounds[0]++;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (changed);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[lid] * 100 + rounds[0];
}
