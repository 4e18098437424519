// 6.5.14: If the operand is the result of a unary * operator, neither is evaluated.
// expect: error "address of an rvalue" at line 4
kernel void address_of_an_rvalue(global int *out) {
    int *p = &(1 + 2);
}
