// 6.3.6: A vector literal is a parenthesized vector type followed by a parenthesized list: (float4)(float, float, float, float).
// expect: valid
// result: 1 2 3 4 2 3 4 5 3 4 5 6 4 5 6 7
kernel void sixteen_from_four_vectors(global int16 *out) {
    int4 a = (int4)(1, 2, 3, 4);
    out[0] = (int16)(a, a + 1, a + 2, a + 3);
}
