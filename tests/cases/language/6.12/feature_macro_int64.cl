// 6.12: In OpenCL C 3.0 there are predefined macros indicating optional language features.
// expect: valid
// result: 1
// options: -cl-std=CL3.0
kernel void feature_macro_int64(global int *out) {
    out[0] = __opencl_c_int64;
}
