// 6.7.1: The __global or global qualifier should not be specified for image types.
// expect: error "address space" at line 3
kernel void global_image(global image2d_t picture, global int *out) {
    out[0] = 1;
}
