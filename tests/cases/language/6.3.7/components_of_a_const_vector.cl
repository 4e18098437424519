// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: error "const" at line 5
kernel void components_of_a_const_vector(global int *out) {
    const int4 a = (int4)(1);
    a.xy = (int2)(2);
}
