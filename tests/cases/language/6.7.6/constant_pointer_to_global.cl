// 6.7.6: Program scope variables can be qualified by either __constant or __global for OpenCL C 2.0.
// expect: valid
// options: -cl-std=CL2.0
// result: 8
global int baz = 8;
global int *constant ptr = &baz;
kernel void constant_pointer_to_global(global int *out) {
    out[0] = *ptr;
}
