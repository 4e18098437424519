// form: loops
// global: 64
// local: 16
constant int numbers[4] = {3, 1, 4, 1};

kernel void constants(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    const int kept = in[gid] * 2;
    const int from[3] = {lid, 4, 5};
    constant int *table = numbers;
    tmp[lid] = kept;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int other = tmp[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = kept + other + table[lid & 3] + from[lid % 3];
}
