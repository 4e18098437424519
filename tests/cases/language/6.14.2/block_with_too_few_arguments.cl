// 6.14.2: A Block's size may not be computed at compile time.
// expect: error "too few arguments" at line 7
// options: -cl-std=CL2.0
// xfail: blocks are not supported yet
kernel void block_with_too_few_arguments(global int *out) {
    int (^b)(int) = ^(int n) { return n; };
    int n = b();
}
