// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 0xfffffffffffffffe 0x7fffffffffffffff 1
kernel void ulong_arithmetic(global ulong *out) {
    ulong a = 0xffffffffffffffffUL;
    out[0] = a + a; out[1] = a / 2; out[2] = a % 2;
}
