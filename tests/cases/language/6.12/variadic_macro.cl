// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 6
// options: -cl-std=CL3.0
#define SUM3(...) sum3(__VA_ARGS__)
int sum3(int a, int b, int c) { return a + b + c; }
kernel void variadic_macro(global int *out) {
    out[0] = SUM3(1, 2, 3);
}
