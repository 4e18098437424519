// 6.14.3: Local automatic variables referenced within the compound statement of a Block are imported and captured by the Block as const copies.
// expect: valid
// options: -cl-std=CL2.0
// result: 3
kernel void block_captures_const_copies(global int *out) {
    int m = 3;
    int (^b)(void) = ^{ return m; };
    m = 4;
    out[0] = b();
}
