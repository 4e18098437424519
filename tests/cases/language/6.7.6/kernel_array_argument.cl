// 6.7.6: Kernel function arguments that are pointers must point to global, local or constant.
// expect: valid
// result: 5
kernel void kernel_array_argument(global int out[]) {
    out[0] = 5;
}
