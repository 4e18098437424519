// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: valid
// result: 8
kernel void static_constant_inside_a_function(global int *out) {
    static constant int eight = 8;
    out[0] = eight;
}
