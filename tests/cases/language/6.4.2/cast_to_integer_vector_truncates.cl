// 6.4.2: The round to zero rounding mode will be used for conversions to built-in integer vector types.
// expect: valid
// result: -2 -2 -2 -2
kernel void cast_to_integer_vector_truncates(global int4 *out) {
    float f = -2.75f;
    out[0] = (int4)f;
}
