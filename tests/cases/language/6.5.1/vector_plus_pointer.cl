// 6.5.1: All other cases of implicit conversions are illegal.
// expect: error "invalid operands" at line 5
kernel void vector_plus_pointer(global int *out) {
    int4 v = (int4)(1);
    v = v + out;
}
