// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 7
kernel void int_target_of_a_float_operation(global int *out) {
    int a = 5;
    a *= 1.5f;
    out[0] = a;
}
