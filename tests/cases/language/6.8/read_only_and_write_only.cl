// 6.8: Image objects specified as arguments to a kernel can be declared to be read-only or write-only.
// expect: valid
kernel void read_only_and_write_only(read_only image2d_t a, write_only image2d_t b) {
    write_imagef(b, (int2)(0, 0), (float4)(1));
}
