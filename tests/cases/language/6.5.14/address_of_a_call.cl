// 6.5.14: If the operand is the result of a unary * operator, neither is evaluated.
// expect: error "address of an rvalue" at line 5
int f(void) { return 1; }
kernel void address_of_a_call(global int *out) {
    int *p = &f();
}
