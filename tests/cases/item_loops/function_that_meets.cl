// form: loops
// global: 64
// local: 16
int group_sum(int value, local int *scratch) {
    int lid = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[lid] = value;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            scratch[lid] += scratch[lid + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

kernel void function_that_meets(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int total = group_sum(in[gid], tmp);
    out[gid] = total;
    group_sum(lid, tmp);
    out[gid] += 3 * group_sum(group_sum(gid, tmp) & 7, tmp) + tmp[0];
    if (group_sum(lid & 1, tmp) > 4)
        out[gid] += 1000;
}
