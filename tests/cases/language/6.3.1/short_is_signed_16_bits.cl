// 6.3.1: short: a signed two's complement 16-bit integer.
// expect: valid
// result: -32768
kernel void short_is_signed_16_bits(global int *out) {
    short a = 32767;
    a++;
    out[0] = a;
}
