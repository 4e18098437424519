// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 2 5
kernel void component_incremented(global int *out) {
    int2 v = (int2)(1, 5);
    v.x++;
    out[0] = v.x; out[1] = v.y;
}
