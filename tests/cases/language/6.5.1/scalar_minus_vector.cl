// 6.5.1: One operand is a scalar, the other a vector: the scalar is widened.
// expect: valid
// result: 9 8 7 6
kernel void scalar_minus_vector(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    int n = 10;
    out[0] = n - v;
}
