// 6.3.4: The data type names of table 5 are reserved and cannot be used by applications as type names.
// expect: error "float4x4" at line 4
kernel void float_matrix(global int *out) {
    float4x4 m;
}
