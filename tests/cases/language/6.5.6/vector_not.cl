// 6.5.6: For vector built-in types, the operators are applied component-wise.
// expect: valid
// result: 0xfe 0x00
kernel void vector_not(global uchar2 *out) {
    uchar2 v = (uchar2)(1, 255);
    out[0] = ~v;
}
