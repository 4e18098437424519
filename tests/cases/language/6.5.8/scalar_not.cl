// 6.5.8: The logical unary operator not (!) returns 0 for operands unequal to 0, else 1.
// expect: valid
// result: 0 1 4
kernel void scalar_not(global int *out) {
    int a = 5;
    out[0] = !a; out[1] = !0; out[2] = sizeof(!1.0);
}
