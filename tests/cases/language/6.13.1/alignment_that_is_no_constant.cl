// 6.13.1: The alignment value specified must be a power of two.
// expect: error "integer constant" at line 4
kernel void alignment_that_is_no_constant(global int *out, int n) {
    int a __attribute__((aligned(n))) = 1;
    out[0] = 1;
}
