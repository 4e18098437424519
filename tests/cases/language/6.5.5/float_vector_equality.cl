// 6.5.5: For vector types the equality operators return 0 or -1.
// expect: valid
// result: -1 0
kernel void float_vector_equality(global int2 *out) {
    float2 a = (float2)(0.5f, 1);
    out[0] = a == 0.5f;
}
