// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 8
kernel void float_and_double(global int *out) {
    float f = 1;
    out[0] = sizeof(f + 1.0);
}
