// 6.14.5: All block variables must be initialized at declaration time and may not be reassigned.
// expect: error "initialize" at line 5
// options: -cl-std=CL2.0
kernel void block_without_initialiser(global int *out) {
    int (^b)(int);
}
