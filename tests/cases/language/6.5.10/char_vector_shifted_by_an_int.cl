// 6.5.10: The rightmost operand can be a vector or scalar if the first operand is a vector.
// expect: valid
// result: 4 -4
kernel void char_vector_shifted_by_an_int(global char2 *out) {
    char2 v = (char2)(1, 127);
    int n = 2;
    out[0] = v << n;
}
