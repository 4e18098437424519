// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: valid
// result: 2
constant int table[2] = {1, 2};
constant int *constant second = &table[1];
kernel void constant_initialised_by_an_address(global int *out) {
    out[0] = *second;
}
