// 6.5.5: For vector types the equality operators return 0 or -1.
// expect: valid
// result: -1 0
kernel void char_vector_equality_is_char(global char2 *out) {
    char2 a = (char2)(7, 8);
    char2 r = a == (char2)(7);
    out[0] = r;
}
