// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 1.0 4.0
kernel void vector_selection_of_floats_by_ints(global float2 *out) {
    int2 c = (int2)(-1, 0);
    out[0] = c ? (float2)(1, 2) : (float2)(3, 4);
}
