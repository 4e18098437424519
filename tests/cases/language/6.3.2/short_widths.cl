// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 4 8 8 16 32
kernel void short_widths(global int *out) {
    out[0] = sizeof(short2); out[1] = sizeof(short3); out[2] = sizeof(short4); out[3] = sizeof(short8); out[4] = sizeof(short16);
}
