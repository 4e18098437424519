// 6.4.2: When casting a bool to a vector integer data type, the components are -1 if the value is true and 0 otherwise.
// expect: valid
// result: 0xff 0xff 0xff 0xff
kernel void the_word_true_becomes_all_bits(global uchar4 *out) {
    out[0] = (uchar4)true;
}
