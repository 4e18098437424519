// 6.11: v. Implicit function declaration is not supported.
// expect: error "implicit declaration" at line 4
kernel void v_function_declared_later(global int *out) {
    out[0] = later();
}
int later(void) { return 1; }
