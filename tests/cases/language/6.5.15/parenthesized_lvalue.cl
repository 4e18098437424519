// 6.5.15: The assignment operator stores the value of expression into lvalue.
// expect: valid
// result: 8
kernel void parenthesized_lvalue(global int *out) {
    int a;
    (a) = 8;
    out[0] = a;
}
