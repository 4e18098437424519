// 6.3.6: A vector literal is a parenthesized vector type followed by a parenthesized list: (float4)(float, float, float, float).
// expect: valid
// result: 4 1 2 3
kernel void one_and_three(global int4 *out) {
    int3 a = (int3)(1, 2, 3);
    out[0] = (int4)(4, a);
}
