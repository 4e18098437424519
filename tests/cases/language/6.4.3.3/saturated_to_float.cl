// 6.4.3.3: The _sat modifier may not be used for conversions to floating-point formats.
// expect: error "convert_float_sat" at line 4
kernel void saturated_to_float(global int *out) {
    float f = convert_float_sat(3);
}
