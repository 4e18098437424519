// 6.5.15: L-values must be writable.
// expect: error "const" at line 5
kernel void const_pointer(global int *out) {
    global int *const p = out;
    p = out + 1;
}
