// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: error "half" at line 4
// without: cl_khr_fp16
kernel void half_kernel_argument_by_value(global float *out, half h) {
    out[0] = 1;
}
