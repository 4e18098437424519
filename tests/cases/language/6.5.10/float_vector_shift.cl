// 6.5.10: The shift operators operate on all scalar and vector built-in types except float types.
// expect: error "invalid operands" at line 5
kernel void float_vector_shift(global int *out) {
    float2 a = (float2)(1);
    a = a >> 1;
}
