// 6.14.2: Blocks are type safe: metadata validates the parameters passed to blocks.
// expect: error "too few arguments" at line 6
// options: -cl-std=CL2.0
kernel void block_with_too_few_arguments(global int *out) {
    int (^b)(int) = ^(int n) { return n; };
    int n = b();
}
