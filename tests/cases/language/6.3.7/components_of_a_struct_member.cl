// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 4 6
typedef struct { int4 v; } holder;
kernel void components_of_a_struct_member(global int2 *out) {
    holder h = {(int4)(0)};
    h.v.yw = (int2)(4, 6);
    out[0] = h.v.yw;
}
