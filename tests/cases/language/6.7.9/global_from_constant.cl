// 6.7.9: The named address spaces are disjoint: implicit conversions between them are illegal.
// expect: error "changes address space" at line 4
kernel void global_from_constant(global int *out, constant int *c) {
    global const int *p = c;
}
