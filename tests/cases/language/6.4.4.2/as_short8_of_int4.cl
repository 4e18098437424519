// 6.4.4.2: When the number of elements differs the result is implementation-defined: ours keeps the bits.
// expect: valid
// result: 1 0 2 0 3 0 4 0
kernel void as_short8_of_int4(global short8 *out) {
    out[0] = as_short8((int4)(1, 2, 3, 4));
}
