// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 5
kernel void long_to_int_keeps_the_low_bits(global int *out) {
    long a = (7L << 32) + 5;
    out[0] = a;
}
