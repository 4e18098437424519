// 6.7.7: what initialises a constant is known when the program is compiled. Conversions without a rounding mode of their own are taken.
// expect: valid
// result: 2 1065353216 300
// clang: differs because its conversions are calls
constant float2 converted = convert_float2((int2)(1, 2));
constant int reinterpreted = as_int(1.0f);
constant ushort saturated = convert_ushort_sat(300);
kernel void constant_initialised_by_a_conversion(global int *out) {
    out[0] = converted.y; out[1] = reinterpreted; out[2] = saturated;
}
