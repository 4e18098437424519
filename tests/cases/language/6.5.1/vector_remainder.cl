// 6.5.1: The remainder operator (%) operates on integer scalars and vectors.
// expect: valid
// result: 1 -1 2 0
kernel void vector_remainder(global int4 *out) {
    int4 v = (int4)(7, -7, 5, 9);
    out[0] = v % 3;
}
