// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: valid
// result: 6 6 6 6
// size: 4
kernel void shared_by_the_work_group(global int *out) {
    local int total;
    int i = get_local_id(0);
    if (i == 0) total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&total, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = total;
}
