// 6.7.6: Kernel function arguments that are pointers must point to global, local or constant.
// expect: error "address space" at line 3
kernel void kernel_pointer_to_private(private int *p) {
    *p = 1;
}
