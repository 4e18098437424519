// 6.4.3.1: Conversions between integer types follow the C99 rules: the low bits remain.
// expect: valid
// result: -5
kernel void widening_keeps_the_sign(global long *out) {
    int n = -5;
    out[0] = convert_long(n);
}
