// 6.7.5: The generic address space requires OpenCL C 2.0 or the __opencl_c_generic_address_space feature.
// expect: valid
// options: -cl-std=CL2.0
// result: 5 6
kernel void generic_pointer_to_private_or_local(global int *out) {
    private int b = 5;
    local int c;
    c = 6;
    int *p = &b;
    out[0] = *p;
    p = &c;
    out[1] = *p;
}
