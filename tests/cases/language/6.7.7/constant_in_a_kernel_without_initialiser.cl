// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: error "must be initialized" at line 4
kernel void constant_in_a_kernel_without_initialiser(global int *out) {
    constant int a;
}
