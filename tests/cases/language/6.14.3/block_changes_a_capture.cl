// 6.14.3: captured by the Block as const copies.
// expect: error "variable is not assignable" at line 6
// options: -cl-std=CL2.0
kernel void block_changes_a_capture(global int *out) {
    int m = 3;
    void (^b)(void) = ^{ m = 2; };
}
