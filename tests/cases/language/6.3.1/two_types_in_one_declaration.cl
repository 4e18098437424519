// 6.3.1: void: an incomplete type that cannot be completed.
// expect: error "int" at line 4
kernel void two_types_in_one_declaration(global int *out) {
    int float a;
}
