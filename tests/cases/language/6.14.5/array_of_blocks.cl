// 6.14.5: Arrays of Blocks are not supported.
// expect: error "array" at line 6
// options: -cl-std=CL2.0
typedef int (^bl_t)(int);
kernel void array_of_blocks(global int *out) {
    bl_t many[2];
}
