// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: valid
// result: 3 1
constant int table[3] = {1, 2, 3};
constant int *constant ends[2] = {table + 2, table};
kernel void constant_array_of_addresses(global int *out) {
    out[0] = *ends[0]; out[1] = *ends[1];
}
