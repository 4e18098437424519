// 6.11: e. Variadic functions are not supported, with the exception of printf.
// expect: valid
// result: 2
kernel void e_printf_takes_any_number(global int *out) {
    out[0] = 2;
    if (out[0] == 3) printf("%d %d %f\n", 1, 2, 3.0);
}
