// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: -126 -128
kernel void char_vectors_wrap(global char2 *out) {
    char2 a = (char2)(127, 64);
    out[0] = a + (char2)(3, 64);
}
