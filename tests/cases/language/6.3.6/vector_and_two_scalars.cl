// 6.3.6: A vector literal is a parenthesized vector type followed by a parenthesized list: (float4)(float, float, float, float).
// expect: valid
// result: 1.0 2.0 3.0 4.0
kernel void vector_and_two_scalars(global float4 *out) {
    float2 a = (float2)(1.0f, 2.0f);
    out[0] = (float4)(a, 3.0f, 4.0f);
}
