// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 8 16 16 32 64
kernel void int_widths(global int *out) {
    out[0] = sizeof(int2); out[1] = sizeof(int3); out[2] = sizeof(int4); out[3] = sizeof(int8); out[4] = sizeof(int16);
}
