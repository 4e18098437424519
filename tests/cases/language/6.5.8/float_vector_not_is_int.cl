// 6.5.8: For vector types, not returns 0 or -1 and a signed integer vector of the same size.
// expect: valid
// result: -1 0
kernel void float_vector_not_is_int(global int2 *out) {
    float2 v = (float2)(0, 0.5f);
    out[0] = !v;
}
