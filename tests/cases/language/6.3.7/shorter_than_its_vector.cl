// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: valid
// result: 4 1
kernel void shorter_than_its_vector(global int2 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v.wx;
}
