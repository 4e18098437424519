// 6.3.7: Vector data types with two or more components can access .xy elements.
// expect: error "vector component access" at line 5
kernel void z_of_two(global int *out) {
    float2 coord;
    coord.z = 1.0f;
}
