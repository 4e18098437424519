// 6.7.9: The named address spaces are disjoint: implicit conversions between them are illegal.
// expect: error "changes address space" at line 4
kernel void constant_from_local(global int *out, local int *l) {
    constant int *p = l;
}
