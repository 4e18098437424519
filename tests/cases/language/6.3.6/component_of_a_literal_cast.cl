// 6.3.6: A vector literal can be used either as a vector initializer or as a primary expression.
// expect: valid
// result: 2
kernel void component_of_a_literal_cast(global int *out) {
    out[0] = (int2)(1, 2).y;
}
