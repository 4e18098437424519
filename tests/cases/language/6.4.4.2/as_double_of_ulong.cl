// 6.4.4.2: When the operand and result type contain the same number of elements, the bits are returned without modification.
// expect: valid
// result: 1.5
kernel void as_double_of_ulong(global double *out) {
    out[0] = as_double(0x3ff8000000000000UL);
}
