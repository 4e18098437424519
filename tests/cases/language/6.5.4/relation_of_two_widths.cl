// 6.5.4: All other cases of implicit conversions are illegal.
// expect: error "invalid operands" at line 6
kernel void relation_of_two_widths(global int *out) {
    int4 a = (int4)(1);
    int2 b = (int2)(1);
    a = a < b;
}
