// 6.5.6: The bitwise operators and, or, exclusive or, and not operate on all integer scalars and vectors.
// expect: valid
// result: 8 14 6 -11
kernel void int_bits(global int *out) {
    int a = 12, b = 10;
    out[0] = a & b; out[1] = a | b; out[2] = a ^ b; out[3] = ~b;
}
