// 6.4.1: Implicit conversions from a scalar type to a vector type are allowed.
// expect: valid
// result: 7 7 7 7
kernel void scalar_variable_to_vector(global int4 *out) {
    int n = 7;
    int4 v;
    v = n;
    out[0] = v;
}
