// 6.14.3: If the return type is omitted and the argument list is (void), (void) may be omitted.
// expect: valid
// options: -cl-std=CL2.0
// result: 6
kernel void argument_list_omitted(global int *out) {
    int (^six)(void) = ^{ return 6; };
    out[0] = six();
}
