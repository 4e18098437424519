// 6.7.5: The generic address space requires OpenCL C 2.0 or the __opencl_c_generic_address_space feature.
// expect: valid
// options: -cl-std=CL2.0
// result: 5 6 7
int get(int *p) { return *p; }
kernel void generic_parameter(global int *out) {
    private int b = 5;
    local int c;
    c = 6;
    out[2] = 7;
    out[0] = get(&b); out[1] = get(&c); out[2] = get(out + 2);
}
