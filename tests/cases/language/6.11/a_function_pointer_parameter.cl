// 6.11: a. Pointers to functions are not allowed.
// expect: error "pointers to functions are not allowed" at line 3
int apply(int (*f)(int), int n) { return n; }
kernel void a_function_pointer_parameter(global int *out) {
    out[0] = 1;
}
