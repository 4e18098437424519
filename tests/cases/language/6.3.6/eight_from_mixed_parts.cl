// 6.3.6: A vector literal is a parenthesized vector type followed by a parenthesized list: (float4)(float, float, float, float).
// expect: valid
// result: 1 2 3 4 5 6 7 8
kernel void eight_from_mixed_parts(global int8 *out) {
    int3 a = (int3)(2, 3, 4);
    out[0] = (int8)(1, a, (int2)(5, 6), 7, 8);
}
