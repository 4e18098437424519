// 6.14.2: A Block's size may not be computed at compile time.
// expect: error "incompatible" at line 6
// options: -cl-std=CL2.0
kernel void block_argument_of_another_type(global int *out) {
    int (^b)(int2) = ^(int2 n) { return n.x; };
    int n = b(out);
}
