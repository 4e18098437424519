// 6.14.5: The Block_copy() and Block_release() functions are not supported.
// expect: error "implicit declaration of function 'Block_copy'" at line 6
// options: -cl-std=CL2.0
kernel void block_copy(global int *out) {
    int (^b)(void) = ^{ return 1; };
    Block_copy(b);
}
