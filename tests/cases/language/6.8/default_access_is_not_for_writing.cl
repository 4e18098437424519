// 6.8: The default access qualifier is read_only.
// expect: error "write_imagef" at line 4
kernel void default_access_is_not_for_writing(image2d_t picture) {
    write_imagef(picture, (int2)(0, 0), (float4)(1));
}
