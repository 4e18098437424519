// 6.3.3: The C99 derived types (arrays, structs, unions, functions, and pointers) are supported.
// expect: valid
kernel void image_argument_is_read_only_by_default(image2d_t picture, global int *out) {
    out[0] = get_image_width(picture);
}
