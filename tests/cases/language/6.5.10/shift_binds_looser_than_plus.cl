// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: valid
// result: 16
kernel void shift_binds_looser_than_plus(global int *out) {
    out[0] = 1 << 3 + 1;
}
