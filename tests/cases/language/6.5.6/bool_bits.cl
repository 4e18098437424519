// 6.5.6: The bitwise operators and, or, exclusive or, and not operate on all integer scalars and vectors.
// expect: valid
// result: 0 1 1
kernel void bool_bits(global int *out) {
    bool a = true, b = false;
    out[0] = a & b; out[1] = a | b; out[2] = a ^ b;
}
