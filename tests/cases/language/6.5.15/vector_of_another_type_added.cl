// 6.5.15: lvalue and expression must satisfy the requirements for both the operator and assignment.
// expect: error "invalid operands" at line 6
kernel void vector_of_another_type_added(global int *out) {
    float4 v = (float4)(1);
    int4 i = (int4)(1);
    v += i;
}
