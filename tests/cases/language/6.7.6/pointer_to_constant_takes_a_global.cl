// 6.7.6: Program scope variables can be qualified by either __constant or __global for OpenCL C 2.0.
// expect: error "address space" at line 5
// options: -cl-std=CL2.0
global int baz = 8;
constant int *global ptr = &baz;
kernel void pointer_to_constant_takes_a_global(global int *out) {
    out[0] = 1;
}
