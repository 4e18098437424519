// 6.3.3: image1d_t, image1d_array_t, image1d_buffer_t and image2d_array_t require OpenCL C 1.2 or newer.
// expect: error "image1d_t" at line 5
// options: -cl-std=CL1.1
// clang: differs because it has every image type in every version
kernel void image1d_in_1_1(read_only image1d_t line) {}
