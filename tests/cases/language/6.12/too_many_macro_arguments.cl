// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "macro" at line 5
#define ONE(a) (a)
kernel void too_many_macro_arguments(global int *out) {
    out[0] = ONE(1, 2);
}
