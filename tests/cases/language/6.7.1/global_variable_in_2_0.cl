// 6.7.1: Variables at program scope can be declared in global address space if the feature is supported.
// expect: valid
// result: 0 5
// options: -cl-std=CL2.0
global int counter;
kernel void global_variable_in_2_0(global int *out) {
    out[0] = counter;
    out[1] = counter + 5;
}
