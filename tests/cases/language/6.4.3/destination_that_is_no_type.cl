// 6.4.3: The full form of the convert function is convert_destType<_sat><_roundingMode>(sourceType).
// expect: error "convert_word" at line 4
kernel void destination_that_is_no_type(global int *out) {
    int c = convert_word(1.5f);
}
