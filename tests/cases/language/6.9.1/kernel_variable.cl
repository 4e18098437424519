// 6.9.1: The __kernel qualifier declares a function.
// expect: error "kernel" at line 3
kernel int a;
kernel void kernel_variable(global int *out) {
    out[0] = 1;
}
