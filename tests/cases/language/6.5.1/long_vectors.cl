// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 4294967296 -4294967296
kernel void long_vectors(global long2 *out) {
    long2 a = (long2)(65536, -65536);
    out[0] = a * 65536;
}
