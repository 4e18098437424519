// 6.8: A write-only image is only being written to.
// expect: error "function 'read_imagef' on '__write_only image2d_t' is not supported yet by cl2cuda" at line 4
kernel void write_only_image_read(global float4 *out, write_only image2d_t a, sampler_t s) {
    out[0] = read_imagef(a, s, (int2)(0, 0));
}
