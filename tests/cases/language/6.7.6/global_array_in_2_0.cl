// 6.7.6: Program scope variables can be qualified by either __constant or __global for OpenCL C 2.0.
// expect: valid
// options: -cl-std=CL2.0
// result: 0 7
global uchar buf[512];
kernel void global_array_in_2_0(global uchar *out) {
    buf[511] = 7;
    out[0] = buf[0]; out[1] = buf[511];
}
