// 6.5.8: The logical unary operator not (!) returns 0 for operands unequal to 0, else 1.
// expect: valid
// result: 0 1
kernel void float_logical_not(global int *out) {
    float a = 0.25f;
    out[0] = !a; out[1] = !0.0f;
}
