// 6.14.5: Blocks as structure and union members are not supported.
// expect: error "" at line 4
// clang: differs because it takes blocks as members
struct s { int (^b)(int); };
kernel void block_member(global int *out) {
    out[0] = 1;
}
