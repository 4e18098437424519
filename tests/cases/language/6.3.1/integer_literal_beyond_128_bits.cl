// 6.3.1: An integer literal of more than 128 bits is refused, as by clang.
// expect: error "too large" at line 4
kernel void integer_literal_beyond_128_bits(global ulong *out) {
    out[0] = 0x100000000000000000000000000000000;
}
