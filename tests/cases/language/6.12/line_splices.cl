// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 12
kernel void line_splices(global int *out) {
    int long_\
name = 12;
    out[0] = long_name;
}
