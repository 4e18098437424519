// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 8 0
kernel void int_and_long(global int *out) {
    int a = -1;
    long b = 1;
    out[0] = sizeof(a + b); out[1] = a > b;
}
