// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: valid
// result: 1020 4
kernel void chars_are_promoted_before_shifting(global int *out) {
    uchar a = 255;
    out[0] = a << 2; out[1] = sizeof(a << 2);
}
