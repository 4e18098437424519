// 6.4.1: Implicit conversions: a pointer to the integer of the other sign is passed to a built-in with a warning, as C does.
// expect: valid
// result: 3 4
kernel void builtin_writes_to_other_sign(global int *out) {
    uint exponent;
    out[0] = frexp(6.0f, &exponent) == 0.75f ? exponent : 0;
    uint2 both;
    float2 halves = frexp((float2)(6, 12), &both);
    out[1] = both.y;
}
