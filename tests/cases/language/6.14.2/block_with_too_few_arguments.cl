// 6.14.2: A Block's size may not be computed at compile time.
// expect: error "too few arguments" at line 6
// options: -cl-std=CL2.0
kernel void block_with_too_few_arguments(global int *out) {
    int (^b)(int) = ^(int n) { return n; };
    int n = b();
}
