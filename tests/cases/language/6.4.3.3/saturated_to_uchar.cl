// 6.4.3.3: In saturated mode, values outside the representable range clamp to the nearest representable value.
// expect: valid
// result: 0 255 17 255
kernel void saturated_to_uchar(global uchar4 *out) {
    out[0] = convert_uchar4_sat((int4)(-5, 300, 17, 255));
}
