// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 0 3 0 4
kernel void components_in_global_memory(global int4 *out) {
    out[0] = 0;
    out[0].yw = (int2)(3, 4);
}
