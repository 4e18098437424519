// 6.7.6: Program scope variables must be qualified by __constant in OpenCL C prior to 2.0.
// expect: valid
// result: 3
static constant int foo = 3;
kernel void static_constant_in_1_2(global int *out) {
    out[0] = foo;
}
