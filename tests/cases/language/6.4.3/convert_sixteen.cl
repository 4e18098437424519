// 6.4.3: convert_int converts a float scalar f to an int scalar i.
// expect: valid
// result: 16
kernel void convert_sixteen(global int *out) {
    uchar16 u = (uchar16)(16);
    int16 i = convert_int16(u);
    out[0] = i.sf;
}
