// 6.5.8: The logical unary operator not (!) returns 0 for operands unequal to 0, else 1.
// expect: valid
// result: 1
kernel void not_not(global int *out) {
    int a = 7;
    out[0] = !!a;
}
