// 6.4.2: A cast of a structure is no conversion (C99 6.5.4: the operand has scalar type).
// expect: error "float" at line 4
kernel void cast_of_a_pointer_to_float(global int *out) {
    float f = (float)out;
}
