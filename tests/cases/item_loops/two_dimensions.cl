// form: loops
// global: 8 8
// local: 4 4
kernel void two_dimensions(global const int *in, global int *out, int n, local int *tmp) {
    local int tile[4][5];
    int x = get_local_id(0), y = get_local_id(1);
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    tile[y][x] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = x > 0 ? tile[y][x - 1] : 0, up = y > 0 ? tile[y - 1][x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[y][x] = left * 2 + up;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[x][y] + get_group_id(1) * 100 + get_group_id(0) * 10;
}
