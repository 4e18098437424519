// 6.3.1: float: a 32-bit IEEE 754 number.
// expect: valid
// result: 16777216.0
kernel void float_has_24_bits_of_precision(global float *out) {
    float a = 16777216.0f;
    out[0] = a + 1.0f;
}
