// 6.4.2: Scalar to vector conversions may be performed by casting the scalar to the desired vector data type.
// expect: valid
// result: 255.0 255.0 255.0 255.0
kernel void uchar_to_float4(global float4 *out) {
    uchar u = 0xff;
    out[0] = (float4)u;
}
