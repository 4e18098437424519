// 6.11: a. Pointers to functions are not allowed.
// expect: error "pointers to functions are not allowed" at line 5
int f(int n) { return n; }
kernel void a_function_pointer_variable(global int *out) {
    int (*p)(int) = 0;
}
