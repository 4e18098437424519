// 6.14.2: Blocks are type safe: metadata validates the parameters passed to blocks.
// expect: error "incompatible" at line 6
// options: -cl-std=CL2.0
kernel void block_argument_of_another_type(global int *out) {
    int (^b)(int2) = ^(int2 n) { return n.x; };
    int n = b(out);
}
