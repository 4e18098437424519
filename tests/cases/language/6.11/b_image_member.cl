// 6.11: b. An image type cannot be used to declare a variable, a member, an array, a pointer or a result.
// expect: error "image2d_t" at line 3
struct s { image2d_t picture; };
kernel void b_image_member(global int *out) {
    out[0] = 1;
}
