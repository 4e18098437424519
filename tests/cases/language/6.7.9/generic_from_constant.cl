// 6.7.9: A pointer to the constant address space cannot be cast or implicitly converted to generic.
// expect: error "changes address space" at line 5
// options: -cl-std=CL2.0
kernel void generic_from_constant(global int *out, constant int *c) {
    const int *p = c;
}
