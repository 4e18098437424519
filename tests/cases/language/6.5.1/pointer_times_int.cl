// 6.5.1: All other cases of implicit conversions are illegal.
// expect: error "invalid operands" at line 4
kernel void pointer_times_int(global int *out) {
    global int *p = out * 2;
}
