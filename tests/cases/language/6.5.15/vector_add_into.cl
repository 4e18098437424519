// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 11 12 13 14
kernel void vector_add_into(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    v += 10;
    out[0] = v;
}
