// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 2 4 4 8 16
kernel void uchar_widths(global int *out) {
    out[0] = sizeof(uchar2); out[1] = sizeof(uchar3); out[2] = sizeof(uchar4); out[3] = sizeof(uchar8); out[4] = sizeof(uchar16);
}
