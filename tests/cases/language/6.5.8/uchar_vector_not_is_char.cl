// 6.5.8: For vector types, not returns 0 or -1 and a signed integer vector of the same size.
// expect: valid
// result: 0 -1
kernel void uchar_vector_not_is_char(global char2 *out) {
    uchar2 v = (uchar2)(9, 0);
    char2 r = !v;
    out[0] = r;
}
