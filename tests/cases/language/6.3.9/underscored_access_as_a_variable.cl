// 6.3.9: Access qualifiers are reserved.
// expect: error "expected identifier" at line 4
kernel void underscored_access_as_a_variable(global int *out) {
    int __write_only = 1;
}
