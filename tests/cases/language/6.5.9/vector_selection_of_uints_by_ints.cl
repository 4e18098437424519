// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 1 4
kernel void vector_selection_of_uints_by_ints(global uint2 *out) {
    int2 c = (int2)(-1, 0);
    out[0] = c ? (uint2)(1, 2) : (uint2)(3, 4);
}
