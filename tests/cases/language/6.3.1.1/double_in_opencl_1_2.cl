// 6.3.1.1: Double precision is supported if OpenCL 1.2 or newer is supported.
// expect: valid
// result: 0.1
// options: -cl-std=CL1.2
kernel void double_in_opencl_1_2(global double *out) {
    out[0] = 0.1;
}
