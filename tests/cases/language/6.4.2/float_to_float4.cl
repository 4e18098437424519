// 6.4.2: Scalar to vector conversions may be performed by casting the scalar to the desired vector data type.
// expect: valid
// result: 1.0 1.0 1.0 1.0
kernel void float_to_float4(global float4 *out) {
    float f = 1.0f;
    out[0] = (float4)f;
}
