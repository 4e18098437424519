// 6.7: Address spaces can not be used with a function parameter.
// expect: error "parameter may not be qualified with an address space" at line 3
kernel void kernel_parameter_by_value_in_global(global int *out, global int n) {
    out[0] = n;
}
