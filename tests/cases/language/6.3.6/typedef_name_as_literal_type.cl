// 6.3.6: A vector literal can be used either as a vector initializer or as a primary expression.
// expect: valid
// result: 1.0 2.0
typedef float2 point;
kernel void typedef_name_as_literal_type(global float2 *out) {
    out[0] = (point)(1.0f, 2.0f);
}
