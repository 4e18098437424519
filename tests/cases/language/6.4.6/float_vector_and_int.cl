// 6.4.6: The scalar is converted to the type of the vector element, then widened.
// expect: valid
// result: 3.5 3.5 3.5 3.5
kernel void float_vector_and_int(global float4 *out) {
    float4 f = (float4)(1.5f);
    int n = 2;
    out[0] = f + n;
}
