// 6.7: Address spaces can not be used with a function parameter.
// expect: error "parameter may not be qualified with an address space" at line 3
int f(local int n) { return n; }
kernel void local_parameter(global int *out) {
    out[0] = 1;
}
