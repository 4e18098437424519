// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 1
kernel void cast_to_uchar(global int *out) {
    out[0] = (uchar)257;
}
