// 6.4.3: The full form of the convert function is convert_destType<_sat><_roundingMode>(sourceType).
// expect: error "convert_int_rtx" at line 4
kernel void unknown_rounding_mode(global int *out) {
    int c = convert_int_rtx(1.5f);
}
