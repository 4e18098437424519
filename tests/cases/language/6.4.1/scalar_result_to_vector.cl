// 6.4.1: Implicit conversions from a scalar type to a vector type are allowed.
// expect: valid
// result: 1.5 1.5
float2 pair(float f) { return f; }
kernel void scalar_result_to_vector(global float2 *out) {
    out[0] = pair(1.5f);
}
