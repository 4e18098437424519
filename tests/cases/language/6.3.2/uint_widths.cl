// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 8 16 16 32 64
kernel void uint_widths(global int *out) {
    out[0] = sizeof(uint2); out[1] = sizeof(uint3); out[2] = sizeof(uint4); out[3] = sizeof(uint8); out[4] = sizeof(uint16);
}
