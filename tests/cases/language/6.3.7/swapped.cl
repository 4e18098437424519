// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 2 1
kernel void swapped(global int2 *out) {
    int2 v = (int2)(1, 2);
    v.xy = v.yx;
    out[0] = v;
}
