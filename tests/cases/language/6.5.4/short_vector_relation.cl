// 6.5.4: Comparisons of integers and floating-point numbers happen in floating point.
// expect: valid
// result: -1 -1 0 0
kernel void short_vector_relation(global short4 *out) {
    short4 v = (short4)(1, 2, 3, 4);
    out[0] = v <= (short4)(2);
}
