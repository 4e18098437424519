// 6.10: The auto and register storage-class specifiers are not supported.
// expect: error "register" at line 4
kernel void register_variable(global int *out) {
    register int a = 1;
}
