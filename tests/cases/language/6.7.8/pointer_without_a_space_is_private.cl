// 6.7.8: … and to the private address space if it is not.
// expect: error "address space" at line 4
kernel void pointer_without_a_space_is_private(global int *out) {
    int *p = out;
}
