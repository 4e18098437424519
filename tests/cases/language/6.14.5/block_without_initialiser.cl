// 6.14.5: All block variables must be initialized at declaration time and may not be reassigned.
// expect: error "" at line 4
kernel void block_without_initialiser(global int *out) {
    int (^b)(int);
}
