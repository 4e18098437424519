// 6.5.6: For vector built-in types, the operators are applied component-wise.
// expect: valid
// result: 6 -1
kernel void long_vector_bits(global long2 *out) {
    long2 v = (long2)(14, -1);
    out[0] = v & (long2)(7, -1);
}
