// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 512
kernel void uchar_shifted_by_nine(global int *out) {
    uchar a = 1;
    int n = 9;
    out[0] = a << n;
}
