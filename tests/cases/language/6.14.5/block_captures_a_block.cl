// 6.14.5: A Block cannot capture another Block variable declared in the outer scope.
// expect: error "block" at line 7
// options: -cl-std=CL2.0
// xfail: blocks are not supported yet
kernel void block_captures_a_block(global int *out) {
    int (^a)(int) = ^(int n) { return n; };
    int (^b)(int) = ^(int n) { return a(n); };
}
