// 6.14.3: All variables captured by any nested blocks are also captured by their enclosing Blocks.
// expect: valid
// options: -cl-std=CL2.0
// result: 12
kernel void nested_blocks(global int *out) {
    int a = 5;
    int (^outer)(int) = ^(int b) {
        int (^inner)(int) = ^(int c) { return a + b + c; };
        return inner(4);
    };
    out[0] = outer(3);
}
