// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 1.5 3.0 0.75 6.0
kernel void double_vector_arithmetic(global double4 *out) {
    double4 a = (double4)(1, 2, 0.5, 4);
    out[0] = a + a / 2;
}
