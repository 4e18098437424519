// 6.14.5: Pointers to Blocks are not allowed.
// expect: error "" at line 5
typedef int (^bl_t)(int);
kernel void pointer_to_a_block(global int *out) {
    bl_t *p;
}
