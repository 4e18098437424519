// 6.3.3: queue_t requires OpenCL C 2.0, or 3.0 and the __opencl_c_device_enqueue feature.
// expect: error "queue_t" at line 3
kernel void queue_in_1_2(queue_t q) {}
