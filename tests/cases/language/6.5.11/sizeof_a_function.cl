// 6.5.11: sizeof shall not be applied to an expression that has function type or an incomplete type.
// expect: error "taking address of function 'f' is not allowed" at line 5
int f(void) { return 1; }
kernel void sizeof_a_function(global int *out) {
    out[0] = sizeof(f);
}
