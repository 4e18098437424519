// 6.4.4.2: When the operand and result type contain the same number of elements, the bits are returned without modification.
// expect: valid
// result: -1
kernel void as_char_of_uchar(global int *out) {
    out[0] = as_char((uchar)255);
}
