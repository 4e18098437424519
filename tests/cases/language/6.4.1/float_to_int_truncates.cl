// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 3 -3
kernel void float_to_int_truncates(global int *out) {
    float a = 3.99f, b = -3.99f;
    out[0] = a; out[1] = b;
}
