// 6.5.10: If E1 has a signed type and a negative value, the vacated bits are filled with ones.
// expect: valid
// result: -1 -2
kernel void arithmetic_right_shift(global int *out) {
    int a = -8;
    out[0] = a >> 31; out[1] = a >> 2;
}
