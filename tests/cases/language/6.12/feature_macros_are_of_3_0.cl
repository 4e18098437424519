// 6.12: In OpenCL C 3.0 there are predefined macros indicating optional language features.
// expect: valid
// result: 0
kernel void feature_macros_are_of_3_0(global int *out) {
#ifdef __opencl_c_int64
    out[0] = 1;
#else
    out[0] = 0;
#endif
}
