// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: error "initializer element is not a compile-time constant" at line 4
kernel void constant_initialised_by_an_argument(global int *out, int n) {
    constant int a = n;
    out[0] = a;
}
