// 6.5.15: The assignment operator stores the value of expression into lvalue.
// expect: valid
// result: 3 1
kernel void assignment_converts(global int *out) {
    int a;
    char c;
    a = 3.7f;
    c = 257;
    out[0] = a; out[1] = c;
}
