// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 1
#if 0
#nonsense
#endif
kernel void unknown_directive_in_a_skipped_group(global int *out) {
    out[0] = 1;
}
