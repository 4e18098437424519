// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 4
kernel void and_into(global int *out) {
    int a = 12;
    a &= 6;
    out[0] = a;
}
