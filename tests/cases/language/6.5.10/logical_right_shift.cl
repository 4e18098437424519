// 6.5.10: If E1 has an unsigned type the vacated bits are filled with zeros.
// expect: valid
// result: 1 0x3ffffffe
kernel void logical_right_shift(global uint *out) {
    uint a = 0xfffffff8;
    out[0] = a >> 31; out[1] = a >> 2;
}
