// 6.5.5: Scalar equality operators return an int, 0 or 1.
// expect: valid
// result: 1
kernel void zeros_are_equal(global int *out) {
    float z = 0.0f;
    out[0] = z == -z;
}
