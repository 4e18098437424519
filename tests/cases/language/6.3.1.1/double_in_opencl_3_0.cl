// 6.3.1.1: Double precision is supported if OpenCL 1.2 or newer is supported.
// expect: valid
// result: 0.25
// options: -cl-std=CL3.0
kernel void double_in_opencl_3_0(global double *out) {
    out[0] = 1.0 / 4;
}
