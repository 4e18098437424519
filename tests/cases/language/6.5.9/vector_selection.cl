// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 1 20 3 40
kernel void vector_selection(global int4 *out) {
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(10, 20, 30, 40);
    int4 c = (int4)(-1, 0, -1, 0);
    out[0] = c ? a : b;
}
