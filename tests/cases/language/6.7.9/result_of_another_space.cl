// 6.7.9: The named address spaces are disjoint: implicit conversions between them are illegal.
// expect: error "changes address space" at line 4
local int *get(global int *p) {
    return p;
}
kernel void result_of_another_space(global int *out) {
    get(out);
}
