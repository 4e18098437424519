// 6.14.5: Pointers to Blocks are not allowed.
// expect: error "pointer" at line 6
// options: -cl-std=CL2.0
typedef int (^bl_t)(int);
kernel void pointer_to_a_block(global int *out) {
    bl_t *p;
}
