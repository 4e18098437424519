// 6.4.3.3: In saturated mode, values outside the representable range clamp to the nearest representable value.
// expect: valid
// result: 2 3 255 0
kernel void saturated_and_rounded(global uchar4 *out) {
    out[0] = convert_uchar4_sat_rtp((float4)(1.1f, 2.5f, 254.5f, -0.5f));
}
