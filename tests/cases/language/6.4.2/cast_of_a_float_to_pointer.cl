// 6.4.2: A cast of a structure is no conversion (C99 6.5.4: the operand has scalar type).
// expect: error "float" at line 5
kernel void cast_of_a_float_to_pointer(global int *out) {
    float f = 1;
    global int *p = (global int *)f;
}
