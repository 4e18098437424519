// 6.10: The extern storage-class specifier can be used for functions and program scope variables.
// expect: valid
// result: 5
extern constant int five;
constant int five = 5;
kernel void extern_constant_defined_later(global int *out) {
    out[0] = five;
}
