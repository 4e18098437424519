// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 1 2 3 4
kernel void pointer_to_uchar(global int *out) {
    uint word = 0x04030201;
    uchar *bytes = (uchar *)&word;
    for (int i = 0; i < 4; i++) out[i] = bytes[i];
}
