// 6.11: a. Pointers to functions are not allowed.
// expect: error "function" at line 5
int f(void) { return 1; }
kernel void a_function_name_as_a_value(global int *out) {
    out[0] = f ? 1 : 2;
}
