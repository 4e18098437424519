// 6.5.15: If expression is a scalar type and lvalue is a vector type, the scalar is converted and widened.
// expect: valid
// result: 3.0 3.0 3.0 3.0
kernel void vector_takes_a_scalar(global float4 *out) {
    float4 v;
    v = 3;
    out[0] = v;
}
