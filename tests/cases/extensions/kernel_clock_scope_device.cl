// 6.15: cl_khr_kernel_clock, __opencl_c_kernel_clock_scope_device: the counter never goes backwards.
// expect: valid
// options: -cl-std=CL3.0
// in: 20000
// result: 1 1
kernel void kernel_clock_scope_device(global int *out, global const int *in) {
    ulong before = clock_read_device();
    uint2 halves = clock_read_hilo_device();
    ulong between = (ulong)halves.y << 32 | halves.x;
    volatile global int *sum = out;
    for (int i = 0; i < in[0]; i++) *sum += i & 1;
    ulong after = clock_read_device();
    out[0] = before <= between && between <= after;
    out[1] = after > before;
}
