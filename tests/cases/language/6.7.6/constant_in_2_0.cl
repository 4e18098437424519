// 6.7.6: Program scope variables can be qualified by either __constant or __global for OpenCL C 2.0.
// expect: valid
// options: -cl-std=CL2.0
// result: 1
constant int foo = 1;
kernel void constant_in_2_0(global int *out) {
    out[0] = foo;
}
