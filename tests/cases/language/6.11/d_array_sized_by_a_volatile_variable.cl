// 6.11: d. Variable length arrays and structures with flexible (or unsized) arrays are not supported.
// expect: error "variable length array" at line 5
kernel void d_array_sized_by_a_volatile_variable(global int *out) {
    const volatile int m = 3;
    int a[m];
}
