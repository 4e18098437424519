// 6.4.6: The rank of the bool type is less than the rank of any other type.
// expect: valid
// result: 6 6
kernel void char_vector_and_bool(global char2 *out) {
    char2 v = (char2)(5);
    bool one = true;
    out[0] = v + one;
}
