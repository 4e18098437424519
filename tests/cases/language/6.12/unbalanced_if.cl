// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "unterminated" at line 3
#if 1
kernel void unbalanced_if(global int *out) {
    out[0] = 1;
}
