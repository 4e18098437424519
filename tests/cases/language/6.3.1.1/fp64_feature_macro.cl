// 6.3.1.1: Double precision is supported if OpenCL 1.2 or newer is supported.
// expect: valid
// result: 1
// options: -cl-std=CL3.0
kernel void fp64_feature_macro(global int *out) {
    #ifdef __opencl_c_fp64
    out[0] = 1;
    #endif
}
