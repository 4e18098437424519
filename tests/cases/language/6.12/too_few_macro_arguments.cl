// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: error "macro" at line 5
#define SUM(a, b) ((a) + (b))
kernel void too_few_macro_arguments(global int *out) {
    out[0] = SUM(1);
}
