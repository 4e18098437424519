// 6.3.6: A vector literal is a parenthesized vector type followed by a parenthesized list: (float4)(float, float, float, float).
// expect: valid
// result: 1 2 3 4
kernel void three_and_one(global int4 *out) {
    int3 a = (int3)(1, 2, 3);
    out[0] = (int4)(a, 4);
}
