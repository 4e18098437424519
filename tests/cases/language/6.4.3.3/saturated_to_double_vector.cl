// 6.4.3.3: The _sat modifier may not be used for conversions to floating-point formats.
// expect: error "convert_double2_sat" at line 4
kernel void saturated_to_double_vector(global int *out) {
    double2 f = convert_double2_sat((int2)(3));
}
