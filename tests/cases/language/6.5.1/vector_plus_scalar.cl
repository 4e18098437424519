// 6.5.1: One operand is a scalar, the other a vector: the scalar is widened.
// expect: valid
// result: 11 12 13 14
kernel void vector_plus_scalar(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    int n = 10;
    out[0] = v + n;
}
