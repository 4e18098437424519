// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: error "must be initialized" at line 3
constant int a;
kernel void constant_without_initialiser(global int *out) {
    out[0] = a;
}
