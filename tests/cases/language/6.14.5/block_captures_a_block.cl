// 6.14.5: A Block cannot capture another Block variable declared in the outer scope.
// expect: error "" at line 6
// clang: differs because it lets a block capture another
kernel void block_captures_a_block(global int *out) {
    int (^a)(int) = ^(int n) { return n; };
    int (^b)(int) = ^(int n) { return a(n); };
}
