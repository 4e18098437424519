// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: valid
// result: 20 1 -2
kernel void int_shifts(global int *out) {
    int a = 5;
    out[0] = a << 2; out[1] = a >> 2; out[2] = -8 >> 2;
}
