// 6.3.1: double: a 64-bit IEEE 754 number.
// expect: valid
// result: 0x3ff0000000000000
kernel void double_layout(global long *out) {
    out[0] = as_long(1.0);
}
