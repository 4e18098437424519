// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: valid
// result: 7 8 7 8
kernel void longer_than_its_vector(global int4 *out) {
    int2 v = (int2)(7, 8);
    out[0] = v.xyxy;
}
