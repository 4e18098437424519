// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 1 2 1 2
kernel void vector_shift_counts_wrap(global int4 *out) {
    int4 v = (int4)(1);
    out[0] = v << (int4)(32, 33, 64, 65);
}
