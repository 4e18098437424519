// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: valid
// result: 9
static inline int nine(void) { return 9; }
kernel void static_inline_function(global int *out) {
    out[0] = nine();
}
