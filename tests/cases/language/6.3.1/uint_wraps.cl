// 6.3.1: int: a signed two's complement 32-bit integer.
// expect: valid
// result: 4294967295 0
kernel void uint_wraps(global long *out) {
    uint a = 0, b = 0xffffffff;
    a--; b++;
    out[0] = a; out[1] = b;
}
