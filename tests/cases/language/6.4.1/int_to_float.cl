// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 5.0 2.5
kernel void int_to_float(global float *out) {
    int five = 5;
    float f = five;
    out[0] = f; out[1] = f / 2;
}
