// 6.7.6: Variables declared in the outermost compound statement of a kernel can be local or constant.
// expect: error "variables in the local address space can only be declared in the outermost scope of a kernel function" at line 5
kernel void local_in_a_loop(global int *out) {
    for (int i = 0; i < 2; i++) {
        local int c;
    }
}
