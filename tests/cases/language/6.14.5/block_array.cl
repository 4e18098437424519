// 6.14.5: Arrays of Blocks are not supported.
// expect: error "array of" at line 6
// options: -cl-std=CL2.0
kernel void block_array(global int *out) {
    int (^b)(void) = ^{ return 1; };
    int (^a[1])(void) = { b };
}
