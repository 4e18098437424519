// 6.3.1: char: a signed two's complement 8-bit integer.
// expect: valid
// result: 255
kernel void unsigned_char_is_uchar(global int *out) {
    unsigned char a = -1;
    uchar *p = &a;
    out[0] = *p;
}
