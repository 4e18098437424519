// 6.7.5: The generic address space requires OpenCL C 2.0 or the __opencl_c_generic_address_space feature.
// expect: error "" at line 6
// options: -cl-std=CL2.0
// clang: differs because it knows the word generic since OpenCL C 2.0
kernel void generic_keyword(global int *out) {
    generic int *p;
}
