// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 1 1 0
kernel void cast_to_bool(global int *out) {
    out[0] = (bool)2; out[1] = (bool)0.1f; out[2] = (bool)0;
}
