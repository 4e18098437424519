// 6.10: The auto and register storage-class specifiers are not supported.
// expect: error "auto" at line 4
kernel void auto_variable(global int *out) {
    auto int a = 1;
}
