// 6.5.15: L-values must be writable.
// expect: error "const" at line 4
kernel void pointer_to_const(global int *out, global const int *in) {
    in[0] = 2;
}
