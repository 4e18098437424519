// 6.14.5: Blocks cannot be used as expressions of the ternary selection operator (?:).
// expect: error "block" at line 8
// options: -cl-std=CL2.0
// clang: differs because it lets ?: choose between two blocks
kernel void block_selected(global int *out) {
    int (^a)(int) = ^(int n) { return n; };
    int (^b)(int) = ^(int n) { return n + 1; };
    int c = (out ? a : b)(1);
}
