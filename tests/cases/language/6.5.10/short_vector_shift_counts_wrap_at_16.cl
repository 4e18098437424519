// 6.5.10: Only log2(N) least significant bits of E2 count.
// expect: valid
// result: 1 2
kernel void short_vector_shift_counts_wrap_at_16(global short2 *out) {
    short2 v = (short2)(1);
    out[0] = v << (short2)(16, 17);
}
