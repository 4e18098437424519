// 6.13.5: __attribute__((opencl_unroll_hint(n))) can be used to specify that a loop can be unrolled.
// expect: valid
// options: -cl-std=CL2.0
// result: 4
kernel void unroll_hint_while(global int *out) {
    int n = 0;
    __attribute__((opencl_unroll_hint(2)))
    while (n < 4) n++;
    out[0] = n;
}
