// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: 4 128
kernel void negated_char_is_promoted(global int *out) {
    char a = -128;
    out[0] = sizeof(-a); out[1] = -a;
}
