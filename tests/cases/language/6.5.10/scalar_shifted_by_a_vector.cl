// 6.5.10: The rightmost operand must be a scalar if the first operand is a scalar.
// expect: error "invalid operands to binary expression" at line 6
kernel void scalar_shifted_by_a_vector(global int *out) {
    int a = 1;
    int2 n = (int2)(1);
    n = a << n;
}
