// 6.3.7: Vector data types with four or more components can access .xyzw elements.
// expect: valid
// result: 4 3 2 1
kernel void xyzw_of_four(global int *out) {
    ulong4 v = (ulong4)(1, 2, 3, 4);
    out[0] = v.w; out[1] = v.z; out[2] = v.y; out[3] = v.x;
}
