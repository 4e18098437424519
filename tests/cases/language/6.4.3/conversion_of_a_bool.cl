// 6.4.3: The full form of the convert function is convert_destType<_sat><_roundingMode>(sourceType).
// expect: error "convert_bool" at line 4
kernel void conversion_of_a_bool(global int *out) {
    int c = convert_bool(1.5f);
}
