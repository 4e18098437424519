// 6.3.9: Access qualifiers are reserved.
// expect: error "expected identifier" at line 4
kernel void read_only_as_a_variable(global int *out) {
    int read_only = 1;
}
