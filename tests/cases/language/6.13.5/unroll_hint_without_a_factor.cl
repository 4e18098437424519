// 6.13.5: If n is not specified, the compiler determines the unrolling factor.
// expect: valid
// options: -cl-std=CL2.0
// result: 1
kernel void unroll_hint_without_a_factor(global int *out) {
    int sum = 0;
    __attribute__((opencl_unroll_hint))
    for (int i = 0; i < 2; i++) sum += i;
    out[0] = sum;
}
