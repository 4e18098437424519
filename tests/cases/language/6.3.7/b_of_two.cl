// 6.3.7: In OpenCL C 3.0, the components of vector data types can also be addressed as .rgba.
// expect: error "vector component access" at line 6
// options: -cl-std=CL3.0
kernel void b_of_two(global int *out) {
    float2 coord;
    coord.b = 1.0f;
}
