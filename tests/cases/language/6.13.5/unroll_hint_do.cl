// 6.13.5: __attribute__((opencl_unroll_hint(n))) can be used to specify that a loop can be unrolled.
// expect: valid
// options: -cl-std=CL2.0
// result: 5
kernel void unroll_hint_do(global int *out) {
    int n = 0;
    __attribute__((opencl_unroll_hint(4)))
    do n++; while (n < 5);
    out[0] = n;
}
