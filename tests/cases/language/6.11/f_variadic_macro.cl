// 6.11: f. Variadic macros are not supported (OpenCL C 2.0 or below); we and clang let them pass.
// expect: valid
// result: 6
#define SUM(first, ...) (first + (__VA_ARGS__))
kernel void f_variadic_macro(global int *out) {
    out[0] = SUM(1, 2, 5);
}
