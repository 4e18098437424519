// 6.8: The access qualifiers are for images and pipes.
// expect: error "access qualifier" at line 3
kernel void access_of_an_int(global int *out, read_only int n) {
    out[0] = n;
}
