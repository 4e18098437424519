// 6.14.5: The extern storage-class specifier cannot be used with program scope block variables.
// expect: error "block variable" at line 5
// options: -cl-std=CL2.0
typedef int (^bl_t)(int);
extern bl_t b;
kernel void extern_block(global int *out) {
    out[0] = 1;
}
