// 6.4.3: convert_int converts a float scalar f to an int scalar i.
// expect: valid
// result: 1 2 -1 0
kernel void convert_long_to_short(global short4 *out) {
    out[0] = convert_short4((long4)(1, 65538, -1, 65536));
}
