// 6.5.8: For vector types, not returns 0 or -1 and a signed integer vector of the same size.
// expect: valid
// result: -1 0 0 -1
kernel void int_vector_not(global int4 *out) {
    int4 v = (int4)(0, 1, -1, 0);
    out[0] = !v;
}
