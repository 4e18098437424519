// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 3
// options: -DFIVE=5 -UFIVE
kernel void undefined_by_an_option(global int *out) {
#ifdef FIVE
    out[0] = FIVE;
#else
    out[0] = 3;
#endif
}
