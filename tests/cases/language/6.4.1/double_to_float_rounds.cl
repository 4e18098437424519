// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 0.100000001490116119384765625
kernel void double_to_float_rounds(global float *out) {
    double d = 0.1;
    out[0] = d;
}
