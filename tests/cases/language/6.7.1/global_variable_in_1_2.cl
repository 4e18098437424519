// 6.7.1: Variables at program scope can be declared in global address space if the feature is supported.
// expect: error "constant address space" at line 3
global int counter;
kernel void global_variable_in_1_2(global int *out) {
    out[0] = 1;
}
