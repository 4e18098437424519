// 6.11: j. Predefined identifiers are not supported in OpenCL C 1.1 or below; __func__ is from 1.2 on.
// expect: valid
// result: 106
kernel void j_func_is_there(global int *out) {
    constant char *name = __func__;
    out[0] = name[0];
}
