// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 2
#define N 1
#undef N
#ifndef N
#define N 2
#endif
kernel void undef_a_macro(global int *out) {
    out[0] = N;
}
