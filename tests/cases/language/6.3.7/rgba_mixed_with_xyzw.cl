// 6.3.7: In OpenCL C 3.0, the components of vector data types can also be addressed as .rgba.
// expect: error "vector component access" at line 6
// options: -cl-std=CL3.0
kernel void rgba_mixed_with_xyzw(global int *out) {
    float4 c;
    c.xg = (float2)(1.0f);
}
