// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 3.5
kernel void int_and_float(global float *out) {
    int i = 3;
    float f = 0.5f;
    out[0] = i + f;
}
