// 6.14.2: Blocks are designed to be fully type safe.
// expect: error "incompatible block pointer types" at line 5
// options: -cl-std=CL2.0
kernel void block_types_checked(global int *out) {
    int (^b)(int) = ^(float x) { return 1; };
}
