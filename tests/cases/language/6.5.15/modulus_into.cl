// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 1
kernel void modulus_into(global int *out) {
    int a = 5;
    a %= 2;
    out[0] = a;
}
