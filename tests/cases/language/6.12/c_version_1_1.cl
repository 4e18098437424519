// 6.12: __OPENCL_C_VERSION__ reflects the version specified by -cl-std, 1.2 without it.
// expect: valid
// result: 110
// options: -cl-std=CL1.1
kernel void c_version_1_1(global int *out) {
    out[0] = __OPENCL_C_VERSION__;
}
