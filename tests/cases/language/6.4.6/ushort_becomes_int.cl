// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 1
kernel void ushort_becomes_int(global int *out) {
    ushort a = 1;
    out[0] = a - 2 < 0;
}
