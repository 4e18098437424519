// 6.4.3.3: In saturated mode, values outside the representable range clamp to the nearest representable value.
// expect: valid
// result: 2147483647
kernel void saturated_from_unsigned(global int *out) {
    uint u = 0xf0000000;
    out[0] = convert_int_sat(u);
}
