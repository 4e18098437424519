// 6.11: i. The auto and register storage-class specifiers are not supported.
// expect: error "register" at line 3
int f(register int n) { return n; }
kernel void i_register_parameter(global int *out) {
    out[0] = f(1);
}
