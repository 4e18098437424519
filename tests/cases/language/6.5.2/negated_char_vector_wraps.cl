// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: -128 1
kernel void negated_char_vector_wraps(global char2 *out) {
    char2 a = (char2)(-128, -1);
    out[0] = -a;
}
