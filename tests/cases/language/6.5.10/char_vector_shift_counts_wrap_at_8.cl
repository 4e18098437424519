// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 1 2 128 1
kernel void char_vector_shift_counts_wrap_at_8(global uchar4 *out) {
    uchar4 v = (uchar4)(1);
    out[0] = v << (uchar4)(8, 9, 15, 16);
}
