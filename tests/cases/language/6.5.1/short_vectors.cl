// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: -32768 6
kernel void short_vectors(global short2 *out) {
    short2 a = (short2)(32767, 2), b = (short2)(1, 3);
    out[0] = (short2)((a + b).x, (a * b).y);
}
