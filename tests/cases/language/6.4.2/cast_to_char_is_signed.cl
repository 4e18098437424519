// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: -56
kernel void cast_to_char_is_signed(global int *out) {
    out[0] = (char)200;
}
