// 6.14.5: The extern storage-class specified cannot be used with program scope block variables.
// expect: error "'extern' storage class is disallowed" at line 4
// options: -cl-std=CL2.0
extern int (^b)(void) = ^{ return 1; };
kernel void block_extern(global int *out) {
    out[0] = 1;
}
