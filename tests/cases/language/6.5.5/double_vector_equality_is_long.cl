// 6.5.5: For vector types the equality operators return 0 or -1.
// expect: valid
// result: 0 -1
kernel void double_vector_equality_is_long(global long2 *out) {
    double2 a = (double2)(1, 2);
    out[0] = a != 1.0;
}
