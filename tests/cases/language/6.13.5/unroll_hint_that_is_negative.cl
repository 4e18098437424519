// 6.13.5: n must be a positive integral compile time constant expression.
// expect: error "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression" at line 6
// options: -cl-std=CL2.0
kernel void unroll_hint_that_is_negative(global int *out) {
    int n = 0;
    __attribute__((opencl_unroll_hint(-1)))
    while (n < 4) n++;
    out[0] = n;
}
