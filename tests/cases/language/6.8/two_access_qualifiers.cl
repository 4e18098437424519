// 6.8: A write-only image is only being written to.
// expect: error "access qualifier" at line 3
kernel void two_access_qualifiers(read_only write_only image2d_t a) {
}
