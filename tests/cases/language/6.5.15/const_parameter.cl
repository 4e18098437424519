// 6.5.15: L-values must be writable.
// expect: error "const" at line 4
kernel void const_parameter(global int *out, const int n) {
    n = 2;
}
