// 6.12: __FILE__ and __LINE__ are available.
// expect: valid
// result: 1
kernel void file_macro(global int *out) {
    out[0] = sizeof(__FILE__) > 0;
}
