// 6.14.5: All block variables must be initialized at declaration time and may not be reassigned.
// expect: error "initialize" at line 6
// options: -cl-std=CL2.0
// xfail: blocks are not supported yet
kernel void block_without_initialiser(global int *out) {
    int (^b)(int);
}
