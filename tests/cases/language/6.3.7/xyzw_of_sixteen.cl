// 6.3.7: Vector data types with four or more components can access .xyzw elements.
// expect: valid
// result: 4
kernel void xyzw_of_sixteen(global int *out) {
    int16 v = (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    out[0] = v.w;
}
