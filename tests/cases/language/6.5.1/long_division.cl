// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: -3 -1 3
kernel void long_division(global long *out) {
    long a = -7;
    out[0] = a / 2; out[1] = a % 2; out[2] = -a / 2;
}
