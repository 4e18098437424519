// 6.11: a. Arguments to kernel functions cannot be pointers to pointers (OpenCL C 1.2 or below).
// expect: error "pointer" at line 3
kernel void a_pointer_to_pointer_argument(global int *global *p) {
    **p = 1;
}
