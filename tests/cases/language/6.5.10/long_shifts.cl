// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: valid
// result: 0x500000000 5
kernel void long_shifts(global long *out) {
    long a = 5;
    out[0] = a << 32; out[1] = a << 32 >> 32;
}
