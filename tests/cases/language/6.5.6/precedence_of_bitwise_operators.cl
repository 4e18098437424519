// 6.5.6: The bitwise operators and, or, exclusive or, and not operate on all integer scalars and vectors.
// expect: valid
// result: 7
kernel void precedence_of_bitwise_operators(global int *out) {
    out[0] = 1 | 6 ^ 4 & 5 ^ 4;
}
