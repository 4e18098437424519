// 6.4.3.2: Conversions to floating-point type use round to nearest even.
// expect: valid
// result: 16777216.0 -16777218.0
kernel void to_float_rounding_down(global float *out) {
    out[0] = convert_float_rtn(16777217); out[1] = convert_float_rtn(-16777217);
}
