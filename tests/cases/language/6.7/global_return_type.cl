// 6.7: Address spaces can not be used with a return type.
// expect: error "return type may not be qualified with an address space" at line 3
global int f(void) { return 1; }
kernel void global_return_type(global int *out) {
    out[0] = 1;
}
