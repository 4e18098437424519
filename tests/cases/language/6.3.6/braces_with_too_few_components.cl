// 6.3.6: Operands are assigned to their positions in the result vector as they appear in memory order.
// expect: error "too few elements" at line 4
kernel void braces_with_too_few_components(global int *out) {
    int4 v = {1, 2};
}
