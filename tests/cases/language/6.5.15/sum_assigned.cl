// 6.5.15: Other binary or unary expressions, function names and constants cannot be l-values.
// expect: error "not assignable" at line 5
kernel void sum_assigned(global int *out) {
    int a = 1;
    a + 1 = 2;
}
