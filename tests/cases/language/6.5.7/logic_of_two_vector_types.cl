// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: error "invalid operands to binary expression" at line 6
kernel void logic_of_two_vector_types(global int *out) {
    int4 a = (int4)(1);
    int2 b = (int2)(1);
    a = a && b;
}
