// 6.11: e. Variadic functions are not supported, with the exception of printf.
// expect: error "variable number" at line 3
int f(int n, ...) { return n; }
kernel void e_variadic_function(global int *out) {
    out[0] = 1;
}
