// 6.4.3: The full form of the convert function is convert_destType<_sat><_roundingMode>(sourceType).
// expect: error "convert_int_rte_sat" at line 4
kernel void modifiers_in_the_other_order(global int *out) {
    int c = convert_int_rte_sat(1.5f);
}
