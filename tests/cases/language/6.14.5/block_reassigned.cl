// 6.14.5: and may not be reassigned.
// expect: error "cannot assign to variable" at line 6
// options: -cl-std=CL2.0
kernel void block_reassigned(global int *out) {
    int (^b)(void) = ^{ return 1; };
    b = ^{ return 2; };
}
