// 6.7.9: The named address spaces are disjoint: implicit conversions between them are illegal, also for built-in functions.
// expect: error "no matching function" at line 4
kernel void builtin_keeps_spaces_apart(global int *out, constant float *c) {
    vstore4((float4)1, 0, c);
}
