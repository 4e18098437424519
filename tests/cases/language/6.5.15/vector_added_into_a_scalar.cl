// 6.5.15: lvalue and expression must satisfy the requirements for both the operator and assignment.
// expect: error "assigning to 'int' from an expression of incompatible type 'int2'" at line 6
kernel void vector_added_into_a_scalar(global int *out) {
    int a = 5;
    int2 v = (int2)(1);
    a += v;
}
