// 6.3.1: void: an incomplete type that cannot be completed.
// expect: error "incomplete type 'void'" at line 4
kernel void void_variable(global int *out) {
    void nothing;
}
