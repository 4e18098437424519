// 6.13.5: An unroll factor of 1 disables unrolling.
// expect: valid
// options: -cl-std=CL2.0
// result: 496
kernel void unroll_hint_of_one(global int *out) {
    int sum = 0;
    __attribute__((opencl_unroll_hint(1)))
    for (int i = 0; i < 32; i++) sum += i;
    out[0] = sum;
}
