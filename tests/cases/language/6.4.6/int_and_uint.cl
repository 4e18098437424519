// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 1
kernel void int_and_uint(global int *out) {
    int a = -1;
    uint b = 1;
    out[0] = a > b;
}
