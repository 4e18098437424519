// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 18446744073709551616.0
kernel void cast_of_ulong_to_float(global float *out) {
    out[0] = (float)0xffffffffffffffffUL;
}
