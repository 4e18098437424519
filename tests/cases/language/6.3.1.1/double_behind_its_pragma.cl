// 6.3.1.1: Double precision is supported if OpenCL 1.2 or newer is supported.
// expect: valid
// result: 2.5
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void double_behind_its_pragma(global double *out) {
    out[0] = 2.5;
}
