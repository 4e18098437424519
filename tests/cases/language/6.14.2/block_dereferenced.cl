// 6.14.2: A Block reference may not be dereferenced via the pointer dereference operation *.
// expect: error "invalid argument type" at line 7
// options: -cl-std=CL2.0
// clang: differs because it says so of the call
kernel void block_dereferenced(global int *out) {
    int (^b)(void) = ^{ return 1; };
    out[0] = (*b)();
}
