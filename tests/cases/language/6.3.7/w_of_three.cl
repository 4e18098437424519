// 6.3.7: Vector data types with three or more components can access .xyz elements.
// expect: error "vector component access" at line 5
kernel void w_of_three(global int *out) {
    float3 pos;
    pos.w = 1.0f;
}
