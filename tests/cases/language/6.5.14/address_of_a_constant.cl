// 6.5.14: If the operand is the result of a unary * operator, neither is evaluated.
// expect: error "cannot take the address of an rvalue of type 'int'" at line 4
kernel void address_of_a_constant(global int *out) {
    int *p = &5;
}
