// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 1 2
kernel void vector_remainder_into(global uint2 *out) {
    uint2 v = (uint2)(7, 5);
    v %= 3;
    out[0] = v;
}
