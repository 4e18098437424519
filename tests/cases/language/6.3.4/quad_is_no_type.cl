// 6.3.4: The data type names of table 5 are reserved and cannot be used by applications as type names.
// expect: error "quad" at line 4
kernel void quad_is_no_type(global int *out) {
    quad a;
}
