// 6.8: The access qualifiers are for images and pipes.
// expect: error "access qualifier" at line 3
kernel void access_of_a_pointer(read_only global int *out) {
    out[0] = 1;
}
