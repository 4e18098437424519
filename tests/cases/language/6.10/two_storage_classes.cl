// 6.10: The auto and register storage-class specifiers are not supported.
// expect: error "cannot combine 'extern' with previous 'static' declaration specifier" at line 3
static extern constant int a;
kernel void two_storage_classes(global int *out) {
    out[0] = 1;
}
