// 6.5.15: The assignment operator stores the value of expression into lvalue.
// expect: valid
// result: 4 4
kernel void assignment_has_a_value(global int *out) {
    int a, b;
    a = b = 4;
    out[0] = a; out[1] = b;
}
