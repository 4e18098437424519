// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 2 4 4 8 16
kernel void char_widths(global int *out) {
    out[0] = sizeof(char2); out[1] = sizeof(char3); out[2] = sizeof(char4); out[3] = sizeof(char8); out[4] = sizeof(char16);
}
