// 6.11: b. An image type cannot be used to declare a variable, a member, an array, a pointer or a result.
// expect: error "" at line 4
// xfail: images are not supported yet
kernel void b_image_pointer(global image2d_t *p) {
}
