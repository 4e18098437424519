// 6.11: g. If a list of parameters in a function declaration is empty, the function takes no arguments.
// expect: error "too many arguments" at line 5
int three() { return 3; }
kernel void g_argument_for_an_empty_list(global int *out) {
    out[0] = three(1);
}
