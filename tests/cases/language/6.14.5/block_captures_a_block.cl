// 6.14.5: A Block cannot capture another Block variable declared in the outer scope.
// expect: error "cannot refer to a block inside block" at line 6
// options: -cl-std=CL2.0
kernel void block_captures_a_block(global int *out) {
    int (^b)(void) = ^{ return 1; };
    int (^c)(void) = ^{ return b(); };
}
