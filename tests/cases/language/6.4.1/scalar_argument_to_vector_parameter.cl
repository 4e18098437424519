// 6.4.1: Implicit conversions from a scalar type to a vector type are allowed.
// expect: valid
// result: 9
int sum(int2 v) { return v.x + 2 * v.y; }
kernel void scalar_argument_to_vector_parameter(global int *out) {
    out[0] = sum(3);
}
