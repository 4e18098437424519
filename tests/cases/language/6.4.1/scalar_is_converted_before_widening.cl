// 6.4.1: Implicit conversions from a scalar type to a vector type are allowed.
// expect: valid
// result: 2 2
kernel void scalar_is_converted_before_widening(global int2 *out) {
    float f = 2.9f;
    int2 v = f;
    out[0] = v;
}
