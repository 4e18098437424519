// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 20
kernel void shift_left_by(global int *out) {
    int a = 5;
    a <<= 2;
    out[0] = a;
}
