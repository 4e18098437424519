// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 6
kernel void shift_count_of_an_assignment_wraps(global int *out) {
    int a = 3, n = 33;
    a <<= n;
    out[0] = a;
}
