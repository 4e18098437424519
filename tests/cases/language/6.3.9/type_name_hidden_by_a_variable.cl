// 6.3.9: OpenCL C data types are reserved: hiding one in a function is let pass all the same, as clang does.
// expect: valid
// result: 1
kernel void type_name_hidden_by_a_variable(global int *out) {
    int float4 = 1;
    out[0] = float4;
}
