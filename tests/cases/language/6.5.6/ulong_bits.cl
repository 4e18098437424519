// 6.5.6: The bitwise operators and, or, exclusive or, and not operate on all integer scalars and vectors.
// expect: valid
// result: 0xf00000000 -1
kernel void ulong_bits(global long *out) {
    ulong a = 0xf00000000UL;
    out[0] = a & 0xffffffff00000000UL; out[1] = a | ~a;
}
