// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 11 2 23 4
kernel void compound_assignment_to_components(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.xz += (int2)(10, 20);
    out[0] = v;
}
