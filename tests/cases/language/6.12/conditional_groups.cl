// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 2
#define LEVEL 2
kernel void conditional_groups(global int *out) {
#if LEVEL == 1
    out[0] = 1;
#elif LEVEL == 2
    out[0] = 2;
#else
    out[0] = 3;
#endif
}
