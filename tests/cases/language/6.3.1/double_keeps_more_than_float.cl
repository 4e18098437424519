// 6.3.1: double: a 64-bit IEEE 754 number.
// expect: valid
// result: 16777217.0
kernel void double_keeps_more_than_float(global double *out) {
    double a = 16777216.0;
    out[0] = a + 1.0;
}
