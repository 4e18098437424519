// 6.3.9: Address space qualifiers are reserved.
// expect: error "expected identifier" at line 4
kernel void underscored_space_as_a_variable(global int *out) {
    int __local = 1;
}
