// 6.14.2: A Block reference may not be dereferenced via the pointer dereference operation *.
// expect: error "invalid argument type" at line 6
// options: -cl-std=CL2.0
kernel void block_dereferenced(global int *out) {
    int (^b)(void) = ^(void) { return 1; };
    int n = (*b)();
}
