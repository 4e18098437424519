// 6.5.10: The rightmost operand can be a vector or scalar if the first operand is a vector.
// expect: valid
// result: 2 4 6 8
kernel void vector_shifted_by_a_scalar(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v << 1;
}
