// 6.5.10: The rightmost operand can be a vector or scalar if the first operand is a vector.
// expect: error "invalid operands to binary expression" at line 6
kernel void vector_shifted_by_another_width(global int *out) {
    int4 v = (int4)(1);
    int2 n = (int2)(1);
    v = v << n;
}
