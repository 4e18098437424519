// 6.7.7: Variables at program scope that have no initializer begin as zeros, those that never change as well.
// expect: valid
// options: -cl-std=CL2.0
// result: 0 0 0 0 0 1 0
const int begins_as_zero;
global const int3 vector_of_zeros;
const int array_of_zeros[3];
const volatile int volatile_zero;
const struct { int x; global int *p; } struct_of_zeros;
kernel void constant_without_an_initialiser(global int *out) {
    static const int inside;
    out[0] = begins_as_zero;
    out[1] = vector_of_zeros.y;
    out[2] = array_of_zeros[1];
    out[3] = volatile_zero;
    out[4] = struct_of_zeros.x;
    out[5] = struct_of_zeros.p == 0;
    out[6] = inside;
}
