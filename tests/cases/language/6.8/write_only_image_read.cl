// 6.8: A write-only image is only being written to.
// expect: error "no matching function for call to 'read_imagef'" at line 4
kernel void write_only_image_read(global float4 *out, write_only image2d_t a, sampler_t s) {
    out[0] = read_imagef(a, s, (int2)(0, 0));
}
