// 6.14.2: a Block's size may not be computed at compile time.
// expect: error "sizeof" at line 7
// options: -cl-std=CL2.0
// clang: differs because it takes the size of the reference
kernel void block_size(global int *out) {
    int (^b)(void) = ^{ return 1; };
    out[0] = sizeof(b);
}
