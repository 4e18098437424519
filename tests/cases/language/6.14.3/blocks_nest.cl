// 6.14.3: Block literal expressions may occur within Block literal expressions (nested) and all variables captured by any nested blocks are implicitly also captured.
// expect: valid
// options: -cl-std=CL2.0
// result: 7
kernel void blocks_nest(global int *out) {
    int m = 3;
    int (^outer)(int) = ^(int k) { int (^inner)(int) = ^(int w) { return w + k * m; }; return inner(1); };
    m = 0;
    out[0] = outer(2);
}
