// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 3
#define SUM(a, b) \
    ((a) + \
     (b))
kernel void macro_over_several_lines(global int *out) {
    out[0] = SUM(1, 2);
}
