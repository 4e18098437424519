// 6.7.9: A pointer to global, local or private can be implicitly converted to generic but not vice-versa.
// expect: error "changes address space" at line 6
// options: -cl-std=CL2.0
kernel void constant_from_generic(global int *out) {
    int *p = out;
    constant int *c = p;
}
