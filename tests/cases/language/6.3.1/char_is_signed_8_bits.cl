// 6.3.1: char: a signed two's complement 8-bit integer.
// expect: valid
// result: -128 127
kernel void char_is_signed_8_bits(global int *out) {
    char low = 127, high = -128;
    low++; high--;
    out[0] = low; out[1] = high;
}
