// 6.11: q. Types other than pointer types shall not use the restrict qualifier.
// expect: error "restrict" at line 4
kernel void q_restrict_array(global int *out) {
    restrict int a[2];
}
