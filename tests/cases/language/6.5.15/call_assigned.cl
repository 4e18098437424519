// 6.5.15: Other binary or unary expressions, function names and constants cannot be l-values.
// expect: error "not assignable" at line 5
int f(void) { return 1; }
kernel void call_assigned(global int *out) {
    f() = 0;
}
