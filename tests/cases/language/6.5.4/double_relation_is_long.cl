// 6.5.4: Operands of type longn, ulongn and doublen return a longn result.
// expect: valid
// result: -1 0
kernel void double_relation_is_long(global long2 *out) {
    double2 a = (double2)(1.0, 2.0);
    long2 r = a < (double2)(1.5);
    out[0] = r;
}
