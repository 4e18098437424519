// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 14 9
#define TWICE(x) ((x) + (x))
#define SQUARE(x) ((x) * (x))
kernel void define_a_function_like_macro(global int *out) {
    out[0] = TWICE(7); out[1] = SQUARE(1 + 2);
}
