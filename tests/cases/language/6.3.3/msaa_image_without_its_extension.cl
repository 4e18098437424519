// 6.3.3: image2d_msaa_t requires support for the cl_khr_gl_msaa_sharing extension.
// expect: error "image2d_msaa_t" at line 3
kernel void msaa_image_without_its_extension(read_only image2d_msaa_t picture) {}
