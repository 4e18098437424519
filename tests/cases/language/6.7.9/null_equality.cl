// 6.7.9: Equality of a generic pointer and one of a named address space is legal, of two disjoint ones an error.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 1
kernel void null_equality(global int *out) {
    int *p = NULL;
    local int *l = NULL;
    out[0] = p == NULL; out[1] = l == NULL;
}
