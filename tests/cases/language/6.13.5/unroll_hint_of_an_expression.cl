// 6.13.5: n must be a positive integral compile time constant expression.
// expect: valid
// options: -cl-std=CL2.0
// result: 6
enum { two = 2 };
kernel void unroll_hint_of_an_expression(global int *out) {
    int sum = 0;
    __attribute__((opencl_unroll_hint(two * 2)))
    for (int i = 0; i < 4; i++) sum += i;
    out[0] = sum;
}
