// 6.9.1: It is just a regular function call if a __kernel function is called by another kernel function.
// expect: valid
// result: 4
kernel void inner(global int *out) {
    out[0] = 4;
}
kernel void kernel_called_by_a_kernel(global int *out) {
    inner(out);
}
