// 6.11: d. Variable length arrays and structures with flexible (or unsized) arrays are not supported.
// expect: valid
// result: 20
enum { four = 4 };
kernel void d_constant_expression_length(global int *out) {
    int a[four + 1];
    out[0] = sizeof(a);
}
