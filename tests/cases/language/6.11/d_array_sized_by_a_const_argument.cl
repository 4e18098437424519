// 6.11: d. Variable length arrays and structures with flexible (or unsized) arrays are not supported.
// expect: error "variable length array" at line 5
kernel void d_array_sized_by_a_const_argument(global int *out, int n) {
    const int m = n;
    int a[m];
}
