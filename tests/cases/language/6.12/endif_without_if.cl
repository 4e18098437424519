// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "#endif without #if" at line 6
kernel void endif_without_if(global int *out) {
    out[0] = 1;
}
#endif
