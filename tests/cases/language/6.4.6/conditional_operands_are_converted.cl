// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 2.0
kernel void conditional_operands_are_converted(global float *out) {
    int one = 1;
    out[0] = one ? 2 : 0.5f;
}
