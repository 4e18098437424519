// 6.14.5: Blocks as structure and union members are not supported.
// expect: error "field" at line 4
// options: -cl-std=CL2.0
struct s { int (^b)(int); };
kernel void block_member(global int *out) {
    out[0] = 1;
}
