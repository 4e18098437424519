// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 100
kernel void line_directive(global int *out) {
#line 100
    out[0] = __LINE__;
}
