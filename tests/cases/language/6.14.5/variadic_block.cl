// 6.14.5: Blocks with variadic arguments are not supported.
// expect: error "" at line 4
kernel void variadic_block(global int *out) {
    int (^b)(int, ...) = ^(int n, ...) { return n; };
}
