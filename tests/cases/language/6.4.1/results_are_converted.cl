// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 7.0
float seven(void) { return 7; }
kernel void results_are_converted(global float *out) {
    out[0] = seven();
}
