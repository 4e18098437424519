// 6.3.7: Vector data types with three or more components can access .xyz elements.
// expect: valid
// result: 3 2 1
kernel void xyz_of_three(global int *out) {
    uint3 v = (uint3)(1, 2, 3);
    out[0] = v.z; out[1] = v.y; out[2] = v.x;
}
