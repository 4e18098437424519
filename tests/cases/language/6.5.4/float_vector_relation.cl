// 6.5.4: For vector types the relational operators return 0 or -1.
// expect: valid
// result: 0 -1
kernel void float_vector_relation(global int2 *out) {
    out[0] = (float2)(1.5f, 2.5f) >= (float2)(2);
}
