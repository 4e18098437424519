// 6.5.1: Division by zero for floating-point types will result in infinity or NaN.
// expect: valid
// result: 1
// in: 0
kernel void zero_divided_by_zero(global int *out, global const float *in) {
    out[0] = isnan(in[0] / in[0]);
}
