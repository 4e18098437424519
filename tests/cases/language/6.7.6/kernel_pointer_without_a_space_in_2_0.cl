// 6.7.6: Kernel function arguments that are pointers must point to global, local or constant.
// expect: error "address space" at line 4
// options: -cl-std=CL2.0
kernel void kernel_pointer_without_a_space_in_2_0(int *p) {
    *p = 1;
}
