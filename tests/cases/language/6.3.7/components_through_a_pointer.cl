// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 1 2 9 8
kernel void components_through_a_pointer(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4), *p = &v;
    p->wz = (int2)(8, 9);
    out[0] = v;
}
