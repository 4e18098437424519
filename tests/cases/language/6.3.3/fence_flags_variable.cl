// 6.3.3: cl_mem_fence_flags: a bitfield of CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
// expect: valid
// result: 4
kernel void fence_flags_variable(global int *out) {
    cl_mem_fence_flags flags = CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE;
    barrier(flags);
    out[0] = 4;
}
