// 6.11: a. Arguments to kernel functions that are pointers must be global, constant or local.
// expect: error "address space" at line 3
kernel void a_private_pointer_argument(global int *out, private float *p) {
    out[0] = 1;
}
