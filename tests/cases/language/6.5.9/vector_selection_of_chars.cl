// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 1 8
kernel void vector_selection_of_chars(global char2 *out) {
    char2 c = (char2)(-1, 0);
    out[0] = c ? (char2)(1, 2) : (char2)(7, 8);
}
