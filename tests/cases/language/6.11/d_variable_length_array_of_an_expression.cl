// 6.11: d. Variable length arrays and structures with flexible (or unsized) arrays are not supported.
// expect: error "variable length array" at line 4
kernel void d_variable_length_array_of_an_expression(global int *out) {
    int a[get_work_dim() + 1];
}
