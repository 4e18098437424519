// 6.3.6: Operands are assigned to their positions in the result vector as they appear in memory order.
// expect: valid
// result: 0 0 0 0
kernel void empty_braces_are_zeros(global int4 *out) {
    int4 v = {};
    out[0] = v;
}
