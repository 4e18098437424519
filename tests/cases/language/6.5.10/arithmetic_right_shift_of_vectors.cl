// 6.5.10: If E1 has a signed type and a negative value, the vacated bits are filled with ones.
// expect: valid
// result: -1 31
kernel void arithmetic_right_shift_of_vectors(global char2 *out) {
    char2 v = (char2)(-128, 127);
    out[0] = (char2)((v >> 7).x, (v >> 2).y);
}
