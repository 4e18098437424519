// 6.14.5: Blocks as structures and union members are not supported.
// expect: error "cannot be used to declare a structure or union field" at line 5
// options: -cl-std=CL2.0
kernel void block_member(global int *out) {
    struct { int (^b)(void); } s;
}
