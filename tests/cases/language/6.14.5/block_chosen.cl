// 6.14.5: Blocks cannot be used as expressions of the ternary selection operator (?:).
// expect: error "ternary" at line 8
// options: -cl-std=CL2.0
// clang: differs because it only looks at variables that a choice initialises
kernel void block_chosen(global int *out) {
    int (^b)(void) = ^{ return 1; };
    int (^c)(void) = ^{ return 2; };
    out[0] = (out[1] ? b : c)();
}
