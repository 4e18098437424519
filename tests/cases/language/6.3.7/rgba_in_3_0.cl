// 6.3.7: In OpenCL C 3.0, the components of vector data types can also be addressed as .rgba.
// expect: valid
// result: 1 2 3 4
// options: -cl-std=CL3.0
kernel void rgba_in_3_0(global int *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v.r; out[1] = v.g; out[2] = v.b; out[3] = v.a;
}
