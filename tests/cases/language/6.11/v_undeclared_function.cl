// 6.11: v. Implicit function declaration is not supported.
// expect: error "implicit declaration" at line 4
kernel void v_undeclared_function(global int *out) {
    out[0] = nowhere(1);
}
