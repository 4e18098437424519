// 6.13.5: __attribute__((opencl_unroll_hint(n))) can be used to specify that a loop can be unrolled.
// expect: valid
// options: -cl-std=CL2.0
// result: 28
kernel void unroll_hint_for(global int *out) {
    int sum = 0;
    __attribute__((opencl_unroll_hint(2)))
    for (int i = 0; i < 8; i++) sum += i;
    out[0] = sum;
}
