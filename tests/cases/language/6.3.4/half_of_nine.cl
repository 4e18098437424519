// 6.3.4: The data type names of table 5 are reserved and cannot be used by applications as type names.
// expect: error "half9" at line 4
kernel void half_of_nine(global int *out) {
    half9 a;
}
