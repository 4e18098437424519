// 6.14.3: Variables are captured as const copies at the time of the Block literal expression evaluation.
// expect: error "const" at line 7
// options: -cl-std=CL2.0
// xfail: blocks are not supported yet
kernel void captured_variable_is_const(global int *out) {
    int n = 1;
    void (^set)(void) = ^{ n = 2; };
}
