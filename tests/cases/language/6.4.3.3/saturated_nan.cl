// 6.4.3.3: NaN should be converted to 0.
// expect: valid
// result: 0
kernel void saturated_nan(global int *out) {
    out[0] = convert_int_sat(NAN);
}
