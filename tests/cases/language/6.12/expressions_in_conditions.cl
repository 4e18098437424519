// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 1 2 3
kernel void expressions_in_conditions(global int *out) {
#if (1 << 3) + 2 == 10 && !defined(NOTHING)
    out[0] = 1;
#endif
#if UNKNOWN_NAME == 0
    out[1] = 2;
#endif
#if 5 > 3 ? 1 : 0
    out[2] = 3;
#endif
}
