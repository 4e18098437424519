// 6.3.1: void: an incomplete type that cannot be completed.
// expect: error "float" at line 4
kernel void unsigned_float(global int *out) {
    unsigned float a;
}
