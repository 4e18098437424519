// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 10
kernel void exclusive_or_into(global int *out) {
    int a = 12;
    a ^= 6;
    out[0] = a;
}
