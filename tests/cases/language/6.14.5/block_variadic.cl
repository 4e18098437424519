// 6.14.5: Blocks with variadic arguments are not supported.
// expect: error "variable numbers of arguments" at line 5
// options: -cl-std=CL2.0
kernel void block_variadic(global int *out) {
    int (^b)(int, ...) = ^(int x) { return x; };
}
