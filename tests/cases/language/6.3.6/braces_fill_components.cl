// 6.3.6: Operands are assigned to their positions in the result vector as they appear in memory order.
// expect: valid
// result: 1 2 3 4
kernel void braces_fill_components(global int4 *out) {
    int4 v = {1, 2, 3, 4};
    out[0] = v;
}
