// 6.7.3: It is illegal to write to a variable in the constant address space.
// expect: error "const" at line 5
constant int a = 3;
kernel void constant_written(global int *out) {
    a = 42;
}
