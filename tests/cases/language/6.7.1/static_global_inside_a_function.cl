// 6.7.1: A variable inside a function can be in the global address space only when it is static or extern.
// expect: valid
// result: 3
// options: -cl-std=CL2.0
kernel void static_global_inside_a_function(global int *out) {
    static global int a = 3;
    out[0] = a;
}
