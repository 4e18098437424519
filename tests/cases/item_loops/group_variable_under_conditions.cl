// form: loops
// global: 64
// local: 16
kernel void group_variable_under_conditions(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int limit = 2, k = 0;
    if (n > 32) {
        limit += 3;
        if (n == 64)
            limit++;
    }
    for (int i = 0; i < 3; i++)
        k += i;
    int sum = 0;
    while (k < limit + 6) {
        tmp[lid] = in[gid] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tmp[(lid + k) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        k += limit > 4 ? 2 : 1;
    }
    out[gid] = sum;
}
