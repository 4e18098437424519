// 6.7.9: For nested pointers, implicit conversions between address spaces are disallowed.
// expect: error "address space" at line 6
// options: -cl-std=CL2.0
kernel void nested_generic_pointer(global int *out) {
    int *p = out;
    global int **q = &p;
}
