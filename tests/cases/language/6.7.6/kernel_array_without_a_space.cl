// 6.7.6: Kernel function arguments that are pointers must point to global, local or constant.
// expect: error "address space" at line 3
kernel void kernel_array_without_a_space(int a[4]) {
    a[0] = 1;
}
