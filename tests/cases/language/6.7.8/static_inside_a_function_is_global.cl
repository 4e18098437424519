// 6.7.8: For OpenCL C 2.0 the address space of a variable at program scope is inferred to be global.
// expect: valid
// options: -cl-std=CL2.0
// result: 7
kernel void static_inside_a_function_is_global(global int *out) {
    static int foo = 7;
    global int *p = &foo;
    out[0] = *p;
}
