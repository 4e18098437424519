// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: valid
// result: 2 4
kernel void swizzle_of_a_swizzle(global int2 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v.wzyx.zx;
}
