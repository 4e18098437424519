// 6.5.15: lvalue and expression must satisfy the requirements for both the operator and assignment.
// expect: error "greater rank" at line 6
kernel void scalar_of_greater_rank_added(global int *out) {
    int4 v = (int4)(1);
    float f = 1;
    v += f;
}
