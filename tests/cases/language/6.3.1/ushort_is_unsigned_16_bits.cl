// 6.3.1: short: a signed two's complement 16-bit integer.
// expect: valid
// result: 65535
kernel void ushort_is_unsigned_16_bits(global int *out) {
    unsigned short a = 0;
    a--;
    out[0] = a;
}
