// 6.7.9: Equality of a generic pointer and one of a named address space is legal, of two disjoint ones an error.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 0
kernel void generic_and_local_equality(global int *out, local int *l) {
    int *p = l;
    int a = p == l, b = p == out;
    out[0] = a; out[1] = b;
}
