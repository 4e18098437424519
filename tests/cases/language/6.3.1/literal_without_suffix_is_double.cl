// 6.3.1: double: a 64-bit IEEE 754 number.
// expect: valid
// result: 8 4
kernel void literal_without_suffix_is_double(global int *out) {
    out[0] = sizeof(1.0);
    out[1] = sizeof(1.0f);
}
