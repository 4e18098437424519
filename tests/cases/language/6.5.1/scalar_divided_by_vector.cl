// 6.5.1: One operand is a scalar, the other a vector: the scalar is widened.
// expect: valid
// result: 12.0 6.0 4.0 3.0
kernel void scalar_divided_by_vector(global float4 *out) {
    float4 v = (float4)(1, 2, 3, 4);
    out[0] = 12 / v;
}
