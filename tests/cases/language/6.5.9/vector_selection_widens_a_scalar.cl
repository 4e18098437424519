// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 5 2
kernel void vector_selection_widens_a_scalar(global int2 *out) {
    int2 c = (int2)(-1, 0);
    out[0] = c ? 5 : (int2)(1, 2);
}
