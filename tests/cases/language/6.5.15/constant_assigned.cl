// 6.5.15: Other binary or unary expressions, function names and constants cannot be l-values.
// expect: error "not assignable" at line 4
kernel void constant_assigned(global int *out) {
    5 = 2;
}
