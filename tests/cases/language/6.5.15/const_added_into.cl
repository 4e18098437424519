// 6.5.15: lvalue and expression must satisfy the requirements for both the operator and assignment.
// expect: error "const" at line 5
kernel void const_added_into(global int *out) {
    const int a = 1;
    a += 1;
}
