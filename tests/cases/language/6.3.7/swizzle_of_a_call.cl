// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: valid
// result: 3 3
int4 make(int n) { return (int4)(n, n + 1, n + 2, n + 3); }
kernel void swizzle_of_a_call(global int2 *out) {
    out[0] = make(1).zz;
}
