// 6.7.8: Pointers declared without a named address space point to the generic address space if it is supported.
// expect: valid
// options: -cl-std=CL2.0
// result: 5
kernel void pointer_without_a_space_is_generic(global int *out) {
    int *p = out;
    *p = 5;
}
