// 6.3.1: clang takes integer literals of up to 128 bits; their conversion to ulong keeps the lowest 64, with a warning.
// expect: valid
// result: 0x78dde6e5fd29f054 0x78dde6e5fd29f055 0 7 0x78dde6e5fd29f064 0x8dde6e5fd29f0540
constant ulong base = 0x278DDE6E5FD29F054UL;
kernel void integer_literals_beyond_64_bits(global ulong *out) {
    out[0] = base;
    out[1] = 45602859277292793941u;
    out[2] = 18446744073709551616;
    out[3] = (ulong)0xffffffffffffffff0000000000000007;
    out[4] = base + 0x10000000000000010;
    out[5] = base << 4;
}
