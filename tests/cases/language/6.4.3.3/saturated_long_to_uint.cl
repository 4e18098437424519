// 6.4.3.3: In saturated mode, values outside the representable range clamp to the nearest representable value.
// expect: valid
// result: 0xffffffff 0
kernel void saturated_long_to_uint(global uint2 *out) {
    out[0] = convert_uint2_sat((long2)(1L << 40, -1));
}
