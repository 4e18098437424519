// 6.3.3: image1d_t, image1d_array_t, image1d_buffer_t and image2d_array_t require OpenCL C 1.2 or newer.
// expect: valid
kernel void image1d_in_1_2(read_only image1d_t line, global int *out) {
    out[0] = get_image_width(line);
}
