// 6.7.6: Variables declared in the outermost compound statement of a kernel can be local or constant.
// expect: valid
// result: 2
kernel void local_in_the_outermost_scope(global int *out) {
    local float b;
    b = 2;
    out[0] = b;
}
