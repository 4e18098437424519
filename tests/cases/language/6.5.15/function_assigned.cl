// 6.5.15: Other binary or unary expressions, function names and constants cannot be l-values.
// expect: error "taking address of function 'f' is not allowed" at line 5
void f(void) {}
kernel void function_assigned(global int *out) {
    f = 0;
}
