// 6.7.9: The named address spaces are disjoint: implicit conversions between them are illegal.
// expect: error "changes address space" at line 5
kernel void global_from_private(global int *out) {
    int a;
    global int *p = &a;
}
