// 6.14.3: Variables are captured as const copies at the time of the Block literal expression evaluation.
// expect: error "not assignable" at line 6
// options: -cl-std=CL2.0
kernel void captured_variable_is_const(global int *out) {
    int n = 1;
    void (^set)(void) = ^{ n = 2; };
}
