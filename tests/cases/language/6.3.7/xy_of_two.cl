// 6.3.7: Vector data types with two or more components can access .xy elements.
// expect: valid
// result: 2 1
kernel void xy_of_two(global int *out) {
    int2 v = (int2)(1, 2);
    out[0] = v.y; out[1] = v.x;
}
