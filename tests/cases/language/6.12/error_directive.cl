// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "stop here" at line 3
#error stop here
kernel void error_directive(global int *out) {
    out[0] = 1;
}
