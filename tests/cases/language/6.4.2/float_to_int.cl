// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 1 0x3f800000
kernel void float_to_int(global int *out) {
    float f = 1.0f;
    int i = (int)f;
    out[0] = i; out[1] = as_int(f);
}
