// 6.4.3.2: Conversions to floating-point type use round to nearest even.
// expect: valid
// result: 0.100000001490116119384765625 0.0999999940395355224609375
kernel void double_to_float_rounding_up(global float *out) {
    out[0] = convert_float_rtp(0.1); out[1] = convert_float_rtn(0.1);
}
