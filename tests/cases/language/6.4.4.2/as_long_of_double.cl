// 6.4.4.2: When the operand and result type contain the same number of elements, the bits are returned without modification.
// expect: valid
// result: 0x4000000000000000
kernel void as_long_of_double(global long *out) {
    out[0] = as_long(2.0);
}
