// 6.7.4: private is the default address space for variables with automatic storage duration.
// expect: valid
// result: 0 1 2 3
// size: 4
kernel void each_work_item_has_its_own(global int *out) {
    private int mine = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine;
}
