// 6.12: #pragma OPENCL EXTENSION extensionname : behavior
// expect: valid
// result: 1
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void extension_enabled(global int *out) {
    double d = 1.0;
    out[0] = (int)d;
}
