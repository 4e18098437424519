// 6.4.4.2: When the number of elements differs the result is implementation-defined: ours keeps the bits.
// expect: valid
// result: 0x3344 0x1122
kernel void as_short2_of_int(global short2 *out) {
    out[0] = as_short2(0x11223344);
}
