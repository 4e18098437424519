// 6.14.5: All block variables must be initialized at declaration time and may not be reassigned.
// expect: error "const" at line 6
// options: -cl-std=CL2.0
kernel void block_reassigned(global int *out) {
    int (^b)(int) = ^(int n) { return n; };
    b = ^(int n) { return n + 1; };
}
