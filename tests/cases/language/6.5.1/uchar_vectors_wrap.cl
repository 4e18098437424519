// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 44 255 0 1
kernel void uchar_vectors_wrap(global uchar4 *out) {
    uchar4 a = (uchar4)(200, 0, 16, 255);
    out[0] = a * (uchar4)(1, 0, 16, 255) + (uchar4)(100, 255, 0, 0);
}
