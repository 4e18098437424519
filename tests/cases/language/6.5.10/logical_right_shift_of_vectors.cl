// 6.5.10: If E1 has an unsigned type the vacated bits are filled with zeros.
// expect: valid
// result: 1 63
kernel void logical_right_shift_of_vectors(global uchar2 *out) {
    uchar2 v = (uchar2)(128, 255);
    out[0] = (uchar2)((v >> 7).x, (v >> 2).y);
}
