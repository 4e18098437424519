// 6.4.3.4: Example 2: similar to convert_int4, except that values are rounded to the nearest integer.
// expect: valid
// result: 3 -2 1 0
kernel void example_2(global int4 *out) {
    float4 f = (float4)(2.6f, -1.6f, 0.6f, 0.4f);
    out[0] = convert_int4_sat_rte(f);
}
