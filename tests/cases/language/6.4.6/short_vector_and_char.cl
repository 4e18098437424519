// 6.4.6: The scalar is converted to the type of the vector element, then widened.
// expect: valid
// result: 5 5 5 5 5 5 5 5
kernel void short_vector_and_char(global short8 *out) {
    short8 v = (short8)(3);
    char two = 2;
    out[0] = v + two;
}
