// 6.7.9: Conditional operator: the 2nd and 3rd operands' address spaces must overlap.
// expect: error "address space" at line 5
// options: -cl-std=CL2.0
kernel void conditional_of_global_and_local(global int *out, local int *r) {
    int *val = out ? out : r;
}
