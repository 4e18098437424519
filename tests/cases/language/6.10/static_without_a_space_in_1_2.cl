// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: error "static local variable must reside in constant address space" at line 4
kernel void static_without_a_space_in_1_2(global int *out) {
    static float c = 1;
}
