// 6.7.9: Equality of a generic pointer and one of a named address space is legal, of two disjoint ones an error.
// expect: error "address space" at line 5
// options: -cl-std=CL2.0
kernel void local_and_global_equality(global int *out, local int *l) {
    if (l == out)
        out[0] = 1;
}
