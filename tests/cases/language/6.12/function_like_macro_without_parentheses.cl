// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 5
#define f(x) (x)
kernel void function_like_macro_without_parentheses(global int *out) {
    int f = 5;
    out[0] = f;
}
