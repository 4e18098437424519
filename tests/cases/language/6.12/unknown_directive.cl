// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "directive" at line 3
#nonsense
kernel void unknown_directive(global int *out) {
    out[0] = 1;
}
