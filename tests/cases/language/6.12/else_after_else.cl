// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "#else after #else" at line 5
#if 1
#else
#else
#endif
kernel void else_after_else(global int *out) {
    out[0] = 1;
}
