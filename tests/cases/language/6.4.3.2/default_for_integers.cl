// 6.4.3.2: By default, conversions to integer type use the _rtz rounding mode.
// expect: valid
// result: 2 -2
kernel void default_for_integers(global int2 *out) {
    out[0] = convert_int2((float2)(2.9f, -2.9f));
}
