// 6.5.5: Scalar equality operators return an int, 0 or 1.
// expect: valid
// result: 0 1 1 0
kernel void int_equality(global int *out) {
    int a = 1, b = 2;
    out[0] = a == b; out[1] = a != b; out[2] = a == 1; out[3] = a != 1;
}
