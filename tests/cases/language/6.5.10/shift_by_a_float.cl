// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: error "invalid operands" at line 5
kernel void shift_by_a_float(global int *out) {
    int a = 1;
    a = a << 1.0f;
}
