// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 16 6 32
kernel void sizeof_a_vector(global int *out) {
    out[0] = sizeof(int4); out[1] = 3 * sizeof(short); out[2] = sizeof(double4);
}
