// 6.3.1.1: Double precision is supported if OpenCL 1.2 or newer is supported.
// expect: valid
// result: 1
kernel void fp64_macro_is_defined(global int *out) {
    #ifdef cl_khr_fp64
    out[0] = 1;
    #endif
}
