// 6.12: __FILE__ and __LINE__ are available.
// expect: valid
// result: 5 6
kernel void line_macro(global int *out) {
    out[0] = __LINE__;
    out[1] = __LINE__;
}
