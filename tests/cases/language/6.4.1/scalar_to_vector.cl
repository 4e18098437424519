// 6.4.1: Implicit conversions from a scalar type to a vector type are allowed.
// expect: valid
// result: 2.0 2.0 2.0 2.0
kernel void scalar_to_vector(global float4 *out) {
    float4 v = 2;
    out[0] = v;
}
