// 6.5.1: One operand is a scalar, the other a vector: the scalar is widened.
// expect: valid
// result: 3 4
kernel void vector_divided_by_scalar(global uint2 *out) {
    uint2 v = (uint2)(10, 12);
    uint n = 3;
    out[0] = v / n;
}
