// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 3 -3 -1 1
kernel void short_vector_division(global short4 *out) {
    short4 a = (short4)(7, -7, 7, -7), b = (short4)(2, 2, -4, -4);
    out[0] = a / b;
}
