// 6.3.3: reserve_id_t requires OpenCL C 2.0, or 3.0 and the __opencl_c_pipes feature.
// expect: error "reserve_id_t" at line 4
kernel void reserve_id_in_1_2(global int *out) {
    reserve_id_t r;
}
