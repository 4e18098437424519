// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 16 32 32 64 128
kernel void long_widths(global int *out) {
    out[0] = sizeof(long2); out[1] = sizeof(long3); out[2] = sizeof(long4); out[3] = sizeof(long8); out[4] = sizeof(long16);
}
