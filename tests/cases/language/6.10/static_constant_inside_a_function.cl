// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: valid
// clang: differs because it takes no static inside functions before OpenCL C 2.0
// result: 8
// clang: differs because it wants OpenCL C 2.0 for static inside functions
kernel void static_constant_inside_a_function(global int *out) {
    static constant int eight = 8;
    out[0] = eight;
}
