// 6.5.8: The logical unary operator not (!) returns 0 for operands unequal to 0, else 1.
// expect: valid
// result: 0
kernel void pointer_not(global int *out) {
    out[0] = !out;
}
