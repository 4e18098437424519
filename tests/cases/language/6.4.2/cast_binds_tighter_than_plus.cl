// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 3.5
kernel void cast_binds_tighter_than_plus(global float *out) {
    out[0] = (int)2.9f + 1.5f;
}
