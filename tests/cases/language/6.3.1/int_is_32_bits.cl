// 6.3.1: int: a signed two's complement 32-bit integer.
// expect: valid
// result: -2147483648 2147483647
kernel void int_is_32_bits(global int *out) {
    int a = 0x7fffffff;
    uint b = (uint)a + 1u;
    out[0] = (int)b; out[1] = a;
}
