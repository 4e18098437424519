// 6.5.1: Division by zero for floating-point types will result in infinity or NaN.
// expect: valid
// result: inf -inf
// in: 0
kernel void float_divided_by_zero(global float *out, global const float *in) {
    out[0] = 1 / in[0]; out[1] = -1 / in[0];
}
