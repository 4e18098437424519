// 6.5.11: sizeof shall not be applied to an expression that has function type or an incomplete type.
// expect: error "invalid application of 'sizeof' to an incomplete type 'void'" at line 4
kernel void sizeof_void(global int *out) {
    out[0] = sizeof(void);
}
