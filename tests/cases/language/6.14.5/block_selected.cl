// 6.14.5: Blocks cannot be used as expressions of the ternary selection operator (?:).
// expect: error "" at line 6
kernel void block_selected(global int *out) {
    int (^a)(int) = ^(int n) { return n; };
    int (^b)(int) = ^(int n) { return n + 1; };
    int c = (out ? a : b)(1);
}
