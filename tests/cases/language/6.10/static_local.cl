// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: error "static local variable must reside in constant address space" at line 4
kernel void static_local(global int *out) {
    static local int a;
}
