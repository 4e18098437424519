// 6.4.6: The scalar is converted to the type of the vector element, then widened.
// expect: valid
// result: -128 -128 -128 -128
kernel void char_vector_and_char(global char4 *out) {
    char4 v = (char4)(127);
    char one = 1;
    out[0] = v + one;
}
