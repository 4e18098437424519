// 6.11: b. An image type cannot be used to declare a variable, a member, an array, a pointer or a result.
// expect: error "image2d_t" at line 3
kernel void b_image_pointer(global image2d_t *p) {
}
