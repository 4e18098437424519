// 6.3.9: Function qualifiers: __kernel and kernel are reserved.
// expect: error "expected identifier" at line 4
kernel void kernel_as_a_variable(global int *out) {
    int kernel = 1;
}
