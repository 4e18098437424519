// 6.3.3: image2d_depth_t requires OpenCL C 2.0 or newer, or the cl_khr_depth_images extension, which the device has.
// expect: valid
kernel void depth_image_in_1_2(read_only image2d_depth_t depth) {}
