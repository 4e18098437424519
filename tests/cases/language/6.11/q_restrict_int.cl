// 6.11: q. Types other than pointer types shall not use the restrict qualifier.
// expect: error "restrict" at line 4
kernel void q_restrict_int(global int *out) {
    int restrict a = 1;
}
