// 6.15: cl_khr_kernel_clock, __opencl_c_kernel_clock_scope_sub_group: the counter never goes backwards.
// expect: valid
// options: -cl-std=CL3.0
// in: 20000
// result: 1 1
kernel void kernel_clock_scope_sub_group(global int *out, global const int *in) {
    ulong before = clock_read_sub_group();
    uint2 halves = clock_read_hilo_sub_group();
    ulong between = (ulong)halves.y << 32 | halves.x;
    volatile int sum = 0;
    for (int i = 0; i < in[0]; i++) sum += i;
    ulong after = clock_read_sub_group();
    out[0] = before <= between && between <= after;
    out[1] = after > before;
}
