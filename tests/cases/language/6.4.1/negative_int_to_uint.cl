// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 4294967293
kernel void negative_int_to_uint(global long *out) {
    uint a = -3;
    out[0] = a;
}
