// 6.14.5: all block variables must be initialized at declaration time.
// expect: error "must be initialized" at line 5
// options: -cl-std=CL2.0
kernel void block_uninitialised(global int *out) {
    int (^b)(void);
}
