// 6.3.6: A vector literal is a parenthesized vector type followed by a parenthesized list: (float4)(float, float, float, float).
// expect: valid
// result: 1.0 2.0 3.0 4.0
kernel void four_scalars(global float4 *out) {
    out[0] = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
}
