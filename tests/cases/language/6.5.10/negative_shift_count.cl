// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 1
kernel void negative_shift_count(global int *out) {
    uint a = 1;
    int n = -1;
    out[0] = a << n == 0x80000000;
}
