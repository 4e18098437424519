// 6.3.6: Operands are assigned to their positions in the result vector as they appear in memory order.
// expect: valid
// result: 1 2 1 2
kernel void braces_around_vectors(global int4 *out) {
    int2 a = (int2)(1, 2);
    int4 v = {a, a};
    out[0] = v;
}
