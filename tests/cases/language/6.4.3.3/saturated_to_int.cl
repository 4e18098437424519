// 6.4.3.3: In saturated mode, values outside the representable range clamp to the nearest representable value.
// expect: valid
// result: 2147483647 -2147483648
kernel void saturated_to_int(global int *out) {
    out[0] = convert_int_sat(1e20f); out[1] = convert_int_sat(-1e20f);
}
