// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 3 3
kernel void shift_count_of_32(global int *out) {
    int a = 3, n = 32;
    out[0] = a << n; out[1] = a >> n;
}
