// 6.8: read-write images require OpenCL C 2.0, or the __opencl_c_read_write_images feature.
// expect: error "read_write" at line 3
kernel void read_write_in_1_2(read_write image2d_t a) {
}
