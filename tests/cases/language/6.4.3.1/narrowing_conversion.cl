// 6.4.3.1: Conversions between integer types follow the C99 rules: the low bits remain.
// expect: valid
// result: 44 -56
kernel void narrowing_conversion(global int *out) {
    out[0] = convert_uchar(300); out[1] = convert_char(200);
}
