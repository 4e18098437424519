// 6.7: Multiple address space qualifiers are not allowed.
// expect: error "multiple address spaces" at line 4
kernel void two_spaces_for_a_pointee(global int *out) {
    global constant int *p;
}
