// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 0.25 -0.25
kernel void double_vectors(global double2 *out) {
    double2 a = (double2)(1.0, -1.0);
    out[0] = a / 4;
}
