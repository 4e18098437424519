// 6.3.3: The restrictions on other built-in types are those of 6.11: an image cannot be computed with.
// expect: error "image2d_t" at line 4
kernel void image_as_a_value(read_only image2d_t picture, global int *out) {
    out[0] = picture + 1;
}
