// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: error "initializer element is not a compile-time constant" at line 4
int f(void) { return 1; }
constant int a = f();
kernel void constant_initialised_by_a_call(global int *out) {
    out[0] = a;
}
