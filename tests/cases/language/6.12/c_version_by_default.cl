// 6.12: __OPENCL_C_VERSION__ reflects the version specified by -cl-std, 1.2 without it.
// expect: valid
// result: 120
kernel void c_version_by_default(global int *out) {
    out[0] = __OPENCL_C_VERSION__;
}
