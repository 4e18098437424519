// 6.15: cl_khr_extended_bit_ops: bitfield_insert, bitfield_extract_signed, bitfield_extract_unsigned, bit_reverse.
// expect: valid
// result: 4284153855 4294967290 10 2730786816 1
kernel void extended_bit_ops(global uint *out) {
    out[0] = bitfield_insert(0xff00ffffu, 0x5au, 16u, 8u);
    out[1] = bitfield_extract_signed(0x00a0u, 4u, 4u);
    out[2] = bitfield_extract_unsigned(0x00a0u, 4u, 4u);
    out[3] = bit_reverse(0x12345u);
    out[4] = all(bit_reverse((uchar4)(1, 2, 4, 8)) == (uchar4)(128, 64, 32, 16));
}
