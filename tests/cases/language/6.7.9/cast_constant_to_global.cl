// 6.7.9: Casting between pointers to non-overlapping address spaces is illegal.
// expect: error "address space" at line 4
kernel void cast_constant_to_global(global int *out, constant int *c) {
    global int *p = (global int *)c;
}
