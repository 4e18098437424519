// 6.15: cl_khr_async_work_group_copy_fence: copies after the fence come after those before it.
// expect: valid
// size: 4
// in: 1 2 3 4
// result: 1 2 3 4
kernel void copy_fence(global int *out, global const int *in) {
    local int t[4];
    event_t first = async_work_group_copy(t, in, 4, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    event_t second = async_work_group_copy(out, t, 4, 0);
    wait_group_events(1, &first);
    wait_group_events(1, &second);
}
