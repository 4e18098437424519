// 6.7.9: A pointer to the constant address space cannot be cast or implicitly converted to generic.
// expect: error "address space" at line 5
// options: -cl-std=CL2.0
kernel void cast_of_constant_to_generic(global int *out, constant int *c) {
    const int *p = (const int *)c;
}
