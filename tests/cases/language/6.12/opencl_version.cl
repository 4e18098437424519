// 6.12: __OPENCL_VERSION__ reflects the OpenCL version supported by the device.
// expect: valid
// result: 1
// clang: differs because its front end leaves this macro to the driver
kernel void opencl_version(global int *out) {
    out[0] = __OPENCL_VERSION__ >= 100;
}
