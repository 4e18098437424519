// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 5 -1 6 1
kernel void char_vectors(global char4 *out) {
    char4 a = (char4)(2, 2, 2, 3), b = (char4)(3, -3, 4, -2);
    out[0] = a + b;
}
