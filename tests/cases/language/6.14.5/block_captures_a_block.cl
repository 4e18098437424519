// 6.14.5: A Block cannot capture another Block variable declared in the outer scope.
// expect: error "block" at line 6
// options: -cl-std=CL2.0
kernel void block_captures_a_block(global int *out) {
    int (^a)(int) = ^(int n) { return n; };
    int (^b)(int) = ^int(int n) { return a(n); };
}
