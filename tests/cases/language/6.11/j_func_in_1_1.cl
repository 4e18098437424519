// 6.11: j. Predefined identifiers are not supported in OpenCL C 1.1 or below; __func__ is from 1.2 on.
// expect: error "__func__" at line 6
// clang: differs because it has __func__ in every version
// options: -cl-std=CL1.1
kernel void j_func_in_1_1(global int *out) {
    constant char *name = __func__;
}
