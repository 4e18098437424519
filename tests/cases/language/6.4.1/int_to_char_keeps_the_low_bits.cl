// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 44 -1
kernel void int_to_char_keeps_the_low_bits(global int *out) {
    char a = 300, b = 255;
    out[0] = a; out[1] = b;
}
