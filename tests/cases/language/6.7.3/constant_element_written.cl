// 6.7.3: It is illegal to write to a variable in the constant address space.
// expect: error "const" at line 4
kernel void constant_element_written(global int *out, constant int *in) {
    in[1]++;
}
