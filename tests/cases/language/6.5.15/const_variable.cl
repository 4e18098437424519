// 6.5.15: L-values must be writable.
// expect: error "const" at line 5
kernel void const_variable(global int *out) {
    const int a = 1;
    a = 2;
}
