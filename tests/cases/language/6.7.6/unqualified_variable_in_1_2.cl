// 6.7.6: Program scope variables must be qualified by __constant in OpenCL C prior to 2.0.
// expect: error "constant address space" at line 3
int foo = 1;
kernel void unqualified_variable_in_1_2(global int *out) {
    out[0] = 1;
}
