// 6.7.9: Pointer casts can be used to cast to the generic address space and vice-versa.
// expect: error "address space" at line 5
// options: -cl-std=CL2.0
kernel void cast_between_named_spaces(global int *out, local int *lp) {
    global int *gp = (global int *)lp;
}
