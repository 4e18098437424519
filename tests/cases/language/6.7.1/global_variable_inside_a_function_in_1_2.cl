// 6.7.1: A variable inside a function can be in the global address space only when it is static or extern.
// expect: error "global address space" at line 4
kernel void global_variable_inside_a_function_in_1_2(global int *out) {
    global int a;
}
