// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 10 0 0 0
kernel void component_in_a_loop(global int4 *out) {
    int4 v = 0;
    for (v.x = 0; v.x < 10; v.x++)
        ;
    out[0] = v;
}
