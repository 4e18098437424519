// 6.7: Address spaces can not be used with a return type.
// expect: error "return type may not be qualified with an address space" at line 3
private int f(void) { return 1; }
kernel void private_return_type(global int *out) {
    out[0] = 1;
}
