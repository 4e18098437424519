// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 2
kernel void divide_into(global int *out) {
    int a = 5;
    a /= 2;
    out[0] = a;
}
