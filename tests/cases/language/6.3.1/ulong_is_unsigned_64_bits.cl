// 6.3.1: long: a signed two's complement 64-bit integer.
// expect: valid
// result: 1 0
kernel void ulong_is_unsigned_64_bits(global int *out) {
    ulong a = 0;
    a--;
    out[0] = a > 0x7fffffffffffffffUL;
    out[1] = (int)(a + 1);
}
