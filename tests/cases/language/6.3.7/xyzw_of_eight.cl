// 6.3.7: Vector data types with four or more components can access .xyzw elements.
// expect: valid
// result: 1.0 2.0 3.0 4.0
kernel void xyzw_of_eight(global float4 *out) {
    float8 v = (float8)(1, 2, 3, 4, 5, 6, 7, 8);
    out[0] = v.xyzw;
}
