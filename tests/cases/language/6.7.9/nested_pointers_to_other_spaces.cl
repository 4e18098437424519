// 6.7.9: For nested pointers, implicit conversions between address spaces are disallowed.
// expect: error "address space" at line 6
// options: -cl-std=CL2.0
kernel void nested_pointers_to_other_spaces(global int *out, local int *l) {
    local int *private a = l, *private *ll = &a;
    global int *private *gl = ll;
}
