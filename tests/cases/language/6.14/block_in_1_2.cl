// 6.14: Blocks require OpenCL C 2.0, or 3.0 and the __opencl_c_device_enqueue feature.
// expect: error "block" at line 4
kernel void block_in_1_2(global int *out) {
    int (^b)(void) = ^(void) { return 1; };
}
