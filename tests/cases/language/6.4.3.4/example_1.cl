// 6.4.3.4: Example 1: negative values clamped to 0; values > CHAR_MAX converted to CHAR_MAX.
// expect: valid
// result: 0 7 300 0 -128 7 127 -1
kernel void example_1(global short4 *out) {
    short4 s = (short4)(-300, 7, 300, -1);
    ushort4 u = convert_ushort4_sat(s);
    char4 c = convert_char4_sat(s);
    out[0] = convert_short4(u);
    out[1] = convert_short4(c);
}
