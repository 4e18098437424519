// 6.13.5: n must be a positive integral compile time constant expression.
// expect: error "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression" at line 6
// options: -cl-std=CL2.0
kernel void unroll_hint_that_is_no_constant(global int *out) {
    int x = 4;
    __attribute__((opencl_unroll_hint(x)))
    for (int i = 0; i < x; i++) out[0] = i;
}
