// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: valid
// result: 1 0
// size: 2
kernel void local_argument(global int *out, local int *scratch) {
    int i = get_local_id(0);
    scratch[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[1 - i];
}
