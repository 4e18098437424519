// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: valid
// result: 12 11
kernel void swizzle_of_an_expression(global int2 *out) {
    int2 a = (int2)(1, 2);
    out[0] = (a + 10).yx;
}
