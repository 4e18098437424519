// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: valid
// result: 1
kernel void ulong_shift_of_a_large_count(global int *out) {
    ulong a = 0x8000000000000000UL;
    out[0] = a >> 63;
}
