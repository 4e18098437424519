// 6.14.5: Pointers to Blocks are not allowed.
// expect: error "pointer to block" at line 7
// options: -cl-std=CL2.0
// clang: differs because it takes the declaration
kernel void block_pointer(global int *out) {
    int (^b)(void) = ^{ return 1; };
    int (^*p)(void);
}
