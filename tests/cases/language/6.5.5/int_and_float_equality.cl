// 6.5.5: Scalar equality operators return an int, 0 or 1.
// expect: valid
// result: 1 0
kernel void int_and_float_equality(global int *out) {
    int a = 2;
    out[0] = a == 2.0f; out[1] = a == 2.5f;
}
