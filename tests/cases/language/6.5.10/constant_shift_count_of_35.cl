// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 8
kernel void constant_shift_count_of_35(global int *out) {
    int a = 1;
    out[0] = a << 35;
}
