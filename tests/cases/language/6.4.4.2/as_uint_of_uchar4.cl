// 6.4.4.2: When the number of elements differs the result is implementation-defined: ours keeps the bits.
// expect: valid
// result: 0x04030201
kernel void as_uint_of_uchar4(global uint *out) {
    out[0] = as_uint((uchar4)(1, 2, 3, 4));
}
