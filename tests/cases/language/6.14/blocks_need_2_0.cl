// 6.14: The functionality described in this section requires support for OpenCL C 2.0, or 3.0 with __opencl_c_device_enqueue.
// expect: error "blocks require OpenCL C 2.0" at line 5
// options: -cl-std=CL1.2
kernel void blocks_need_2_0(global int *out) {
    int (^b)(void) = ^{ return 1; };
}
