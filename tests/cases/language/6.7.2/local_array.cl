// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: valid
// result: 3 2 1 0
// size: 4
kernel void local_array(global int *out) {
    local int tile[4];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[3 - i];
}
