// 6.3.1: void: an incomplete type that cannot be completed.
// expect: error "void" at line 4
kernel void void_pointer_dereferenced(global int *out, global void *p) {
    out[0] = *p;
}
