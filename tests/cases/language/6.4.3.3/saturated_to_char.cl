// 6.4.3.3: In saturated mode, values outside the representable range clamp to the nearest representable value.
// expect: valid
// result: -128 127 5 -1
kernel void saturated_to_char(global char4 *out) {
    out[0] = convert_char4_sat((short4)(-300, 200, 5, -1));
}
