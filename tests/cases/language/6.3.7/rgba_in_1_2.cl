// 6.3.7: In OpenCL C 3.0, the components of vector data types can also be addressed as .rgba.
// expect: valid
// result: 4
kernel void rgba_in_1_2(global int *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v.a;
}
