// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 1 0
kernel void float_to_bool(global int *out) {
    bool a = 0.25f, b = 0.0f;
    out[0] = a; out[1] = b;
}
