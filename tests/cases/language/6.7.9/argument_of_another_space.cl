// 6.7.9: The named address spaces are disjoint: implicit conversions between them are illegal.
// expect: error "changes address space" at line 5
int get(local int *p) { return *p; }
kernel void argument_of_another_space(global int *out) {
    out[0] = get(out);
}
