// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 2 -2
kernel void cast_truncates_towards_zero(global int *out) {
    out[0] = (int)2.9f; out[1] = (int)-2.9f;
}
