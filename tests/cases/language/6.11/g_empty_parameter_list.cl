// 6.11: g. If a list of parameters in a function declaration is empty, the function takes no arguments.
// expect: valid
// result: 3
int three() { return 3; }
kernel void g_empty_parameter_list(global int *out) {
    out[0] = three();
}
