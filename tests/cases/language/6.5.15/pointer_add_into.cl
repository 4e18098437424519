// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 0 0 3
kernel void pointer_add_into(global int *out) {
    global int *p = out;
    p += 2;
    *p = 3;
}
