// 6.14.3: If the return statements return a value, they all must return a value of the same type.
// expect: error "must match previous return type" at line 7
// options: -cl-std=CL2.0
kernel void block_results_differ(global int *out) {
    int (^b)(int) = ^(int x) {
    if (x) return 1;
    return 2.0f; };
}
