// 6.7.5: The generic address space requires OpenCL C 2.0 or the __opencl_c_generic_address_space feature.
// expect: error "changes address space" at line 5
int get(int *p) { return *p; }
kernel void no_generic_pointer_in_1_2(global int *out) {
    out[0] = get(out);
}
