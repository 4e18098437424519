// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: error "half" at line 5
// without: cl_khr_fp16
kernel void half_store_through_a_pointer(global half *p) {
    p[0] = 1.0f;
}
