// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: -1 0
kernel void uchar_vector_logic_is_char(global char2 *out) {
    uchar2 v = (uchar2)(200, 0);
    char2 r = v || v;
    out[0] = r;
}
