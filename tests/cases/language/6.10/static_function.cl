// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: valid
// result: 7
static int seven(void) { return 7; }
kernel void static_function(global int *out) {
    out[0] = seven();
}
