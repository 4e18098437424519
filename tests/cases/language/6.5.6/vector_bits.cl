// 6.5.6: For vector built-in types, the operators are applied component-wise.
// expect: valid
// result: 1 2 3 0
kernel void vector_bits(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v & 3;
}
