// 6.10: The extern storage-class specifier can be used for functions and program scope variables.
// expect: valid
// result: 6
extern kernel void extern_kernel(global int *out) {
    out[0] = 6;
}
