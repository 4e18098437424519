// 6.11: k. Recursion is not supported: functions recurse all the same, since CUDA has it, but kernels do not.
// expect: error "recursi" at line 4
// clang: differs because it does not look for recursion
kernel void k_recursion_of_a_kernel(global int *out) {
    k_recursion_of_a_kernel(out);
}
