// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: -2
kernel void shift_right_by(global int *out) {
    int a = -8;
    a >>= 2;
    out[0] = a;
}
