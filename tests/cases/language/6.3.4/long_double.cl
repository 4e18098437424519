// 6.3.4: The data type names of table 5 are reserved and cannot be used by applications as type names.
// expect: error "long double" at line 5
// clang: differs because it has long double as C has it
kernel void long_double(global int *out) {
    long double a;
}
