// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 7
#define SEVEN 7
kernel void define_an_object_like_macro(global int *out) {
    out[0] = SEVEN;
}
