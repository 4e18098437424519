// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 0.100000001490116119384765625
kernel void cast_to_double(global double *out) {
    float f = 0.1f;
    out[0] = (double)f;
}
