// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "division by zero" at line 3
#if 1 / 0
#endif
kernel void division_by_zero_in_a_condition(global int *out) {
    out[0] = 1;
}
