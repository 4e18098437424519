// 6.14.3: If the return type is omitted and the argument list is ( void ), the ( void ) argument list may also be omitted.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 2 3
kernel void block_without_parameters(global int *out) {
    ^ void (void) { out[0] = 1; }();
    ^ (void) { out[1] = 2; }();
    ^ { out[2] = 3; }();
}
