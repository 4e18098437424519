// 6.14.2: A Block's size may not be computed at compile time.
// expect: error "sizeof" at line 7
// options: -cl-std=CL2.0
// clang: differs because it gives the size of a reference
kernel void sizeof_a_block(global int *out) {
    int (^b)(void) = ^(void) { return 1; };
    out[0] = sizeof(b);
}
