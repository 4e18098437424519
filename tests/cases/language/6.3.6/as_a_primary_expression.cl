// 6.3.6: A vector literal can be used either as a vector initializer or as a primary expression.
// expect: valid
// result: 5
kernel void as_a_primary_expression(global int *out) {
    out[0] = ((int4)(2, 3, 4, 5)).w;
}
