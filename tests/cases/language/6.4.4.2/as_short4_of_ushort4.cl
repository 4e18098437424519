// 6.4.4.2: When the operand and result type contain the same number of elements, the bits are returned without modification.
// expect: valid
// result: -1 1 -32768 2
kernel void as_short4_of_ushort4(global short4 *out) {
    out[0] = as_short4((ushort4)(65535, 1, 32768, 2));
}
