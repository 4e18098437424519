// 6.9.1: It is just a regular function call if a __kernel function is called by another kernel function.
// expect: valid
// result: 3
int one(void) { return 1; }
int two(void) { return one() + 1; }
kernel void kernel_calls_functions(global int *out) {
    out[0] = one() + two();
}
