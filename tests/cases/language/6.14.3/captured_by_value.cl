// 6.14.3: Variables are captured as const copies at the time of the Block literal expression evaluation.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 2
kernel void captured_by_value(global int *out) {
    int n = 1;
    int (^get)(void) = ^{ return n; };
    n = 2;
    out[0] = get(); out[1] = n;
}
