// 6.14.5: The unary operators (*) and (&) cannot be used with a Block.
// expect: error "invalid argument type" at line 6
// options: -cl-std=CL2.0
kernel void block_address(global int *out) {
    int (^b)(void) = ^{ return 1; };
    out[0] = &b != 0;
}
