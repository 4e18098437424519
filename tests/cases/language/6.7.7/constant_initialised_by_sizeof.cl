// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: valid
// result: 12
constant int a = sizeof(int) * 3;
kernel void constant_initialised_by_sizeof(global int *out) {
    out[0] = a;
}
