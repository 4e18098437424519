// 6.4.6: The scalar is converted to the type of the vector element, then widened.
// expect: valid
// result: 3.0 3.0
kernel void float_vector_and_int_literal(global float2 *out) {
    float2 v = (float2)(1.5f);
    out[0] = v * 2;
}
