// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 5
#define A 1
kernel void nested_conditional_groups(global int *out) {
#ifdef A
#ifdef B
    out[0] = 4;
#else
    out[0] = 5;
#endif
#endif
}
