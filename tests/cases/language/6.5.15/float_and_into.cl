// 6.5.15: lvalue and expression must satisfy the requirements for both the operator and assignment.
// expect: error "invalid operands" at line 5
kernel void float_and_into(global int *out) {
    float a = 5;
    a &= 2;
}
