// 6.14.5: Pointers to Blocks are not allowed.
// expect: error "pointer to block" at line 6
// options: -cl-std=CL2.0
kernel void block_pointer(global int *out) {
    int (^b)(void) = ^{ return 1; };
    int (^*p)(void);
}
