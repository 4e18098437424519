// 6.3.4: The data type names of table 5 are reserved and cannot be used by applications as type names.
// expect: error "expected ';'" at line 4
kernel void complex_type(global int *out) {
    complex float a;
}
