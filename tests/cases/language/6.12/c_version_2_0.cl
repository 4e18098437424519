// 6.12: __OPENCL_C_VERSION__ reflects the version specified by -cl-std, 1.2 without it.
// expect: valid
// result: 200
// options: -cl-std=CL2.0
kernel void c_version_2_0(global int *out) {
    out[0] = __OPENCL_C_VERSION__;
}
