// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: error "static" at line 3
static kernel void static_kernel(global int *out) {
    out[0] = 1;
}
