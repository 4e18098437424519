// 6.4.2: Scalar to vector conversions may be performed by casting the scalar to the desired vector data type.
// expect: valid
// result: 2 2
kernel void float_to_int2(global int2 *out) {
    float f = 2.0f;
    out[0] = (int2)f;
}
