// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 4
kernel void narrow_target_wraps(global int *out) {
    uchar a = 250;
    a += 10;
    out[0] = a;
}
