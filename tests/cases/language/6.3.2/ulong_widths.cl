// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 16 32 32 64 128
kernel void ulong_widths(global int *out) {
    out[0] = sizeof(ulong2); out[1] = sizeof(ulong3); out[2] = sizeof(ulong4); out[3] = sizeof(ulong8); out[4] = sizeof(ulong16);
}
