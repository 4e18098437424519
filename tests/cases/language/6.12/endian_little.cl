// 6.12: __ENDIAN_LITTLE__ is 1 if the device is little endian.
// expect: valid
// result: 1 4
kernel void endian_little(global int *out) {
    uint word = 0x01020304;
    out[0] = __ENDIAN_LITTLE__; out[1] = *(uchar *)&word;
}
