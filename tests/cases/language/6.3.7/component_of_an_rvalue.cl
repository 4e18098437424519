// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: error "not assignable" at line 5
kernel void component_of_an_rvalue(global int *out) {
    int2 a = (int2)(1, 2);
    (a + a).x = 1;
}
