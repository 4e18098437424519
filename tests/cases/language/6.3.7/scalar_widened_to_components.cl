// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 1 7 7 4
kernel void scalar_widened_to_components(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.yz = 7;
    out[0] = v;
}
