// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 1.0 2.0 3.0 3.0
kernel void vector_selection_by_a_relation(global float4 *out) {
    float4 v = (float4)(1, 2, 3, 4);
    out[0] = v < 3 ? v : (float4)(3);
}
