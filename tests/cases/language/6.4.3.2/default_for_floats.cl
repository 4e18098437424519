// 6.4.3.2: Conversions to floating-point type use round to nearest even.
// expect: valid
// result: 16777216.0 16777220.0
kernel void default_for_floats(global float2 *out) {
    out[0] = convert_float2((int2)(16777217, 16777219));
}
