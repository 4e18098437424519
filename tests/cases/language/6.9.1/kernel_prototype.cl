// 6.9.1: It is just a regular function call if a __kernel function is called by another kernel function.
// expect: valid
// result: 2
kernel void kernel_prototype(global int *out);
kernel void kernel_prototype(global int *out) {
    out[0] = 2;
}
