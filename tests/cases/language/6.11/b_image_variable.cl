// 6.11: b. An image type cannot be used to declare a variable, a member, an array, a pointer or a result.
// expect: error "image2d_t" at line 4
kernel void b_image_variable(read_only image2d_t a) {
    image2d_t b;
}
