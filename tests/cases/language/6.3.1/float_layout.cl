// 6.3.1: float: a 32-bit IEEE 754 number.
// expect: valid
// result: 0x3f800000 0x40490fdb
kernel void float_layout(global int *out) {
    out[0] = as_int(1.0f);
    out[1] = as_int(3.14159274f);
}
