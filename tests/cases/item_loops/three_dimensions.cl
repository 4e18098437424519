// form: loops
// global: 4 4 4
// local: 2 2 2
kernel void three_dimensions(global const int *in, global int *out, int n, local int *tmp) {
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int item = (z * get_local_size(1) + y) * get_local_size(0) + x;
    int at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    tmp[item] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    int across = tmp[(x * 2 + y) * 2 + z];
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[item] += across;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tmp[7 - item] + 100 * (x + 2 * y + 4 * z);
}
