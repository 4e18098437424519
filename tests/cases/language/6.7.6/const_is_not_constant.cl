// 6.7.6: Program scope variables must be qualified by __constant in OpenCL C prior to 2.0.
// expect: error "constant address space" at line 3
const int foo = 1;
kernel void const_is_not_constant(global int *out) {
    out[0] = 1;
}
