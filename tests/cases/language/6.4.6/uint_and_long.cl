// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 1
kernel void uint_and_long(global int *out) {
    uint a = 0xffffffff;
    long b = -1;
    out[0] = a > b;
}
