// 6.3.1: char: a signed two's complement 8-bit integer.
// expect: valid
// result: 255 0
kernel void uchar_is_unsigned_8_bits(global int *out) {
    uchar a = 0, b = 255;
    a--; b++;
    out[0] = a; out[1] = b;
}
