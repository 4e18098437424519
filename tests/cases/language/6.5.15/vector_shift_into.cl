// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 4 16
kernel void vector_shift_into(global int2 *out) {
    int2 v = (int2)(1, 2);
    v <<= (int2)(2, 3);
    out[0] = v;
}
