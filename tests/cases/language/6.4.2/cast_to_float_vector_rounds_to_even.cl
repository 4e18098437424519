// 6.4.2: The default rounding mode will be used for conversions to floating-point vector types.
// expect: valid
// result: 16777216.0 16777216.0
kernel void cast_to_float_vector_rounds_to_even(global float2 *out) {
    int n = 16777217;
    out[0] = (float2)n;
}
