// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 6
kernel void shift_count_of_33(global int *out) {
    int a = 3, n = 33;
    out[0] = a << n;
}
