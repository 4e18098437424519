// 6.7.9: Relational operators convert a pointer to the generic address space that encloses its own.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 1
kernel void generic_and_global_relations(global int *out) {
    int *p = &out[1];
    global int *q = &out[3];
    int a = q >= p, b = p <= q;
    out[0] = a; out[1] = b;
}
