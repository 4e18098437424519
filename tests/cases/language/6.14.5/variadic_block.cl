// 6.14.5: Blocks with variadic arguments are not supported.
// expect: error "variable number" at line 5
// options: -cl-std=CL2.0
kernel void variadic_block(global int *out) {
    out[0] = ^(int n, ...) { return n; }(1);
}
