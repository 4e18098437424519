// 6.5.8: For vector types, not returns 0 or -1 and a signed integer vector of the same size.
// expect: valid
// result: 0 -1
kernel void double_vector_not_is_long(global long2 *out) {
    double2 v = (double2)(1, 0);
    out[0] = !v;
}
