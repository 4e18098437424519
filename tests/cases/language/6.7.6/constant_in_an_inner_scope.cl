// 6.7.6: Variables declared in the outermost compound statement of a kernel can be local or constant.
// expect: error "variables in the constant address space can only be declared in the outermost scope of a kernel function" at line 5
kernel void constant_in_an_inner_scope(global int *out) {
    if (out) {
        constant int c = 1;
    }
}
