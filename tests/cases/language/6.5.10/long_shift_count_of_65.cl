// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 6
kernel void long_shift_count_of_65(global long *out) {
    long a = 3;
    int n = 65;
    out[0] = a << n;
}
