// 6.3.3: ndrange_t requires OpenCL C 2.0, or 3.0 and the __opencl_c_device_enqueue feature.
// expect: error "clk_event_t" at line 4
kernel void clk_event_in_1_2(global int *out) {
    clk_event_t e;
}
