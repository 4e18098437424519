// 6.3.1: long: a signed two's complement 64-bit integer.
// expect: valid
// result: 1099511627776 -1
kernel void long_is_64_bits(global long *out) {
    long a = 1L << 40;
    out[0] = a; out[1] = (long)0xffffffffffffffffUL;
}
