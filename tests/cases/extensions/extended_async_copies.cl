// 6.15: cl_khr_extended_async_copies: blocks of lines, and of planes of lines.
// expect: valid
// size: 4
// in: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
// result: 8 9 10 14 15 16 0 1 4 5 12 13 16 17
kernel void extended_async_copies(global int *out, global const int *in) {
    local int t[8];
    event_t event = async_work_group_copy_2D2D(t, 0, in, 8, sizeof(int), 3, 2, 6, 3, 0);
    wait_group_events(1, &event);
    if (get_local_id(0) == 0) for (int k = 0; k < 6; k++) out[k] = t[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy_3D3D(t, 0, in, 0, sizeof(int), 2, 2, 2, 4, 12, 2, 4, 0);
    wait_group_events(1, &event);
    if (get_local_id(0) == 0) for (int k = 0; k < 8; k++) out[6 + k] = t[k];
}
