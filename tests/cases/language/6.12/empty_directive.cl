// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 1
#
kernel void empty_directive(global int *out) {
    out[0] = 1;
}
